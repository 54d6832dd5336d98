import { Args, ArgsType, Authorized, Ctx, Field, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Source } from '../sources/entity.ts';
import { testRetrieval } from './service.ts';
import { FoundPassage, RetrievalTest } from './types.ts';

@ArgsType()
class TestRetrievalArguments {
  @Field(() => ID)
  agentId!: string;

  @Limited({ minLength: 1, maxLength: 4_000 })
  @Field(() => String)
  question!: string;
}

@Resolver(() => FoundPassage)
export class RetrievalResolver {
  @Authorized('admin')
  @Query(() => RetrievalTest, {
    description: 'The passages that an agent would answer a question from, and why each was found. Costs 0.001 credits.',
  })
  testRetrieval(@Ctx() scope: RequestScope, @Args(() => TestRetrievalArguments) { agentId, question }: TestRetrievalArguments) {
    return testRetrieval(scope, agentId, question);
  }

  @FieldResolver(() => Source)
  source(@Ctx() scope: RequestScope, @Root() { sourceId }: FoundPassage) {
    return scope.load(Source, sourceId);
  }
}
