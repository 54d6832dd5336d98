import type { EventStream } from 'compiled-gateway/event-stream';
import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { AFTER, followChanges } from '../../../platform/progress/index.ts';
import { detached, type RequestScope } from '../../../platform/scope/index.ts';
import { Agent } from '../agents/entity.ts';
import { notFound } from '../agents/service.ts';
import {
  DeletedSource,
  MAX_FILES,
  NewSource,
  QuestionAndAnswerType,
  Source,
  SourceChange,
  SourceFile,
  SourceFilePart,
  SourcePagePage,
  SourcePagesArguments,
  SourceUpdate,
  SuspiciousPassage,
  UploadedSource,
  UploadedSources,
} from './entity.ts';
import * as sources from './service.ts';
import { findSource, snapshotOf, sourceLog } from './service.ts';
import * as files from './source-files.ts';

@Access('admin')
@Resolver(() => Source)
export class SourceResolver {
  @ListSize(sources.MAX_SOURCES)
  @Query(() => [Source], { nullable: true, description: 'The knowledge sources of an agent, newest first.' })
  sources(@Ctx() scope: RequestScope, @Id('agentId') agentId: string) {
    return sources.listSources(scope, agentId);
  }

  @Query(() => Source, { nullable: true, description: 'One knowledge source by id.' })
  source(@Ctx() scope: RequestScope, @Id() id: string) {
    return sources.findSource(scope, id);
  }

  @Query(() => SourcePagePage, { nullable: true, description: 'The pages of a knowledge source of the type `url`.' })
  sourcePages(@Ctx() scope: RequestScope, @Args(() => SourcePagesArguments) page: SourcePagesArguments) {
    return sources.listPages(scope, page);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Source, {
    description: 'Create a knowledge source, and queue it for crawling, chunking and embedding. An agent can have up to 200.',
  })
  createSource(@Ctx() scope: RequestScope, @Id('agentId') agentId: string, @Arg('input', () => NewSource) input: NewSource) {
    return sources.createSource(scope, agentId, input);
  }

  @ListSize(MAX_FILES)
  @Idempotent({ prepares: true })
  @Mutation(() => [Source], {
    description:
      'Create a knowledge source of each uploaded file: PDF, Word (.docx), Markdown, plain text or HTML. Upload them by `POST /api/{organization}/agents/{agentId}/source-files`, which calls this mutation. If one of them cannot be a source, none is created.',
  })
  createFileSources(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Args(() => UploadedSources) { files: ids }: UploadedSources,
  ) {
    return files.createFileSources(scope, agentId, ids);
  }

  @Mutation(() => Source, {
    description:
      'Replace the file of a knowledge source by a newer version, and read it. The agent answers from the previous content until then. Fails with `UNPROCESSABLE` while the previous file is being read. `POST /api/{organization}/agents/{agentId}/sources/{sourceId}/file` uploads the file and calls this mutation.',
  })
  replaceSourceFile(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Args(() => UploadedSource) { files: ids }: UploadedSource,
    @Arg('agentId', () => ID, { nullable: true, description: 'A source of another agent is treated as not found.' })
    agentId?: string,
  ) {
    return files.replaceSourceFile(scope, id, ids, agentId);
  }

  @Query(() => SourceFilePart, {
    nullable: true,
    description:
      'The file of a knowledge source as it was uploaded, in parts. Fails with `CONFLICT` if the file is replaced meanwhile.',
  })
  sourceFile(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('agentId', () => ID, { nullable: true, description: 'A source of another agent is treated as not found.' })
    agentId?: string,
    @Arg('after', () => String, { nullable: true, description: 'The `next` of the part before. Default: the first part.' })
    after?: string | null,
  ) {
    return files.readSourceFile(scope, id, agentId, after);
  }

  @Mutation(() => Source, { description: 'Rename a knowledge source, or change how often it is read again.' })
  updateSource(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => SourceChange) input: SourceChange) {
    return sources.updateSource(scope, id, input);
  }

  @Mutation(() => Source, {
    description: 'Read a knowledge source again now. Only changed content gets new vectors; the old content serves until then.',
  })
  refreshSource(@Ctx() scope: RequestScope, @Id() id: string) {
    return sources.refreshSource(scope, id);
  }

  @Mutation(() => DeletedSource, { description: 'Delete a knowledge source with its content. A running ingestion stops.' })
  deleteSource(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('agentId', () => ID, { nullable: true, description: 'A source of another agent is treated as not found.' })
    agentId?: string,
  ) {
    return sources.deleteSource(scope, id, agentId);
  }

  @Subscription(() => SourceUpdate, {
    description:
      'All changes of a knowledge source, in order, until its ingestion ends. A client that reconnects with the last `sequence` misses no status.',
    subscribe: ({ context, args }) => followSource(context as RequestScope, args.id, args.after),
  })
  sourceProgress(
    @Root() update: SourceUpdate,
    @Id() _id: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): SourceUpdate {
    return update;
  }

  @FieldResolver(() => Agent)
  async agent(@Ctx() scope: RequestScope, @Root() { agentId, organizationId }: Source) {
    return (await scope.within(organizationId).load(Agent, agentId)) ?? notFound();
  }

  @FieldResolver(() => SourceFile, { nullable: true, description: 'The uploaded file. Null for other sources.' })
  file(@Root() { fileName, fileBytes }: Source): SourceFile | null {
    return fileName === null ? null : { name: fileName, bytes: fileBytes ?? 0 };
  }

  @FieldResolver(() => String, { nullable: true, description: 'The content of the type `text`. Null for a file.' })
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

/**
 * Streams all changes of a source after the given one, in order, until its ingestion has ended. A subscriber that cannot resume first
 * receives the current state.
 */
async function followSource(
  scope: RequestScope,
  given: string,
  after: number | null | undefined,
): Promise<EventStream<SourceUpdate>> {
  // Callers may write the id in upper case, unlike notifications.
  const source = await findSource(scope, given);
  const { id, sequence } = source;
  return followChanges(sourceLog, scope, { id, sequence, after, snapshot: () => snapshotOf(detached(scope), source) });
}
