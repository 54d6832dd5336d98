import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { AFTER } from '../../../platform/progress/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Agent } from '../agents/entity.ts';
import { notFound } from '../agents/service.ts';
import {
  DeletedSource,
  NewSource,
  QuestionAndAnswerType,
  Source,
  SourceChange,
  SourcePagePage,
  SourcePagesArguments,
  SourceUpdate,
  SuspiciousPassage,
} from './entity.ts';
import * as sources from './service.ts';
import { followSource } from './source-progress.ts';

@Resolver(() => Source)
export class SourceResolver {
  @Authorized('admin')
  @ListSize(sources.MAX_SOURCES)
  @Query(() => [Source], { description: 'The knowledge sources of an agent, newest first.' })
  sources(@Ctx() scope: RequestScope, @Arg('agentId', () => ID) agentId: string) {
    return sources.listSources(scope, agentId);
  }

  @Authorized('admin')
  @Query(() => Source, { description: 'One knowledge source by id.' })
  source(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sources.findSource(scope, id);
  }

  @Authorized('admin')
  @Query(() => SourcePagePage, { description: 'The pages of a knowledge source of the type `url`.' })
  sourcePages(@Ctx() scope: RequestScope, @Args(() => SourcePagesArguments) page: SourcePagesArguments) {
    return sources.listPages(scope, page);
  }

  @Authorized('admin')
  @Idempotent({ prepares: true })
  @Mutation(() => Source, {
    description: 'Create a knowledge source, and queue it for crawling, chunking and embedding. An agent can have up to 200.',
  })
  createSource(
    @Ctx() scope: RequestScope,
    @Arg('agentId', () => ID) agentId: string,
    @Arg('input', () => NewSource) input: NewSource,
  ) {
    return sources.createSource(scope, agentId, input);
  }

  @Authorized('admin')
  @Mutation(() => Source, { description: 'Rename a knowledge source, or change how often it is read again.' })
  updateSource(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string, @Arg('input', () => SourceChange) input: SourceChange) {
    return sources.updateSource(scope, id, input);
  }

  @Authorized('admin')
  @Mutation(() => Source, {
    description: 'Read a knowledge source again now. Only changed content gets new vectors; the old content serves until then.',
  })
  refreshSource(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return sources.refreshSource(scope, id);
  }

  @Authorized('admin')
  @Mutation(() => DeletedSource, { description: 'Delete a knowledge source with its content. A running ingestion stops.' })
  deleteSource(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('agentId', () => ID, { nullable: true, description: 'A source of another agent is treated as not found.' })
    agentId?: string,
  ) {
    return sources.deleteSource(scope, id, agentId);
  }

  @Authorized('admin')
  @Subscription(() => SourceUpdate, {
    description:
      'All changes of a knowledge source, in order, until its ingestion ends. A client that reconnects with the last `sequence` misses no status.',
    subscribe: ({ context, args }) => followSource(context as RequestScope, args.id, args.after),
  })
  sourceProgress(
    @Root() update: SourceUpdate,
    @Arg('id', () => ID) _id: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): SourceUpdate {
    return update;
  }

  @FieldResolver(() => Agent)
  async agent(@Ctx() scope: RequestScope, @Root() { agentId, organizationId }: Source) {
    return (await scope.within(organizationId).load(Agent, agentId)) ?? notFound();
  }

  @FieldResolver(() => String, { nullable: true, description: 'The content of the type `text`.' })
  text(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Source) {
    return sources.textOf(scope.within(organizationId), id);
  }

  @ListSize(sources.MAX_SUSPICIOUS)
  @FieldResolver(() => [SuspiciousPassage], {
    description: 'The first 20 passages that read like instructions to the agent.',
  })
  suspiciousPassages(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Source) {
    return sources.suspiciousOf(scope.within(organizationId), id);
  }

  @ListSize(100)
  @FieldResolver(() => [QuestionAndAnswerType], { nullable: true, description: 'The content of the type `qa`.' })
  qa(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Source) {
    return sources.questionsOf(scope.within(organizationId), id);
  }
}
