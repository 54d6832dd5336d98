import { Arg, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { DayRange, daysOf } from './day-range.ts';
import { AgentFigures, QuestionTopics } from './entity.ts';
import { readFigures } from './service.ts';
import { topicsOf } from './topics.ts';

@Resolver(() => AgentFigures)
export class AgentFiguresResolver {
  @Authorized('member')
  @Query(() => AgentFigures, {
    nullable: true,
    description:
      'The experience of visitors with an agent, by day and by version. `conversations(replies: …)` lists the conversations.',
  })
  agentFigures(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('days', () => DayRange, { nullable: true, description: 'Default: the last 30 days.' }) days?: DayRange | null,
  ) {
    return readFigures(scope, agentId, daysOf(days ?? {}));
  }

  @FieldResolver(() => QuestionTopics, {
    description: 'Found by comparing the vectors of the questions, without a model. Costs no credits.',
  })
  topics(@Ctx() scope: RequestScope, @Root() figures: AgentFigures) {
    return topicsOf(scope.within(figures.organizationId), figures.agentId, figures);
  }
}
