import { Arg, Ctx, FieldResolver, Float, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Deleted } from '../attributes/entity.ts';
import { Job } from '../jobs/entity.ts';
import { GapEstimate, GapRule, GapRuleInput, GapRun } from './entity.ts';
import { estimateGaps } from './find-gaps.ts';
import * as rules from './service.ts';

@Access('member')
@Resolver(() => GapRule)
export class GapRuleResolver {
  @ListSize(rules.MAX_RULES)
  @Query(() => [GapRule], { description: 'The rules that fill gaps by themselves, at most 50, by name.' })
  gapRules(@Ctx() scope: RequestScope) {
    return rules.listRules(scope);
  }

  @Query(() => GapRule, { nullable: true, description: 'A rule that fills gaps by itself.' })
  gapRule(@Ctx() scope: RequestScope, @Id() id: string) {
    return rules.findRule(scope, id);
  }

  @Query(() => GapEstimate, { description: 'The products that a rule would read now, the values that they lack, and the cost.' })
  gapEstimate(@Ctx() scope: RequestScope, @Arg('input', () => GapRuleInput) input: GapRuleInput) {
    return estimateGaps(scope, input);
  }

  @Idempotent()
  @Mutation(() => GapRule, {
    description:
      'Create a rule that starts enrichment jobs by itself for products that lack values. A gap is tried once for the same sources, attribute and options. Jobs write only values that are missing.',
  })
  createGapRule(@Ctx() scope: RequestScope, @Arg('input', () => GapRuleInput) input: GapRuleInput) {
    return rules.createRule(scope, input);
  }

  @Mutation(() => GapRule, { description: 'Replace a rule, which then checks all products, unless a person paused it.' })
  updateGapRule(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => GapRuleInput) input: GapRuleInput) {
    return rules.updateRule(scope, id, input);
  }

  @Mutation(() => Deleted, { description: 'Delete a rule. Its jobs continue.' })
  deleteGapRule(@Ctx() scope: RequestScope, @Id() id: string) {
    return rules.deleteRule(scope, id);
  }

  @Mutation(() => GapRule, { description: 'Pause a rule, or let it continue with a check of all products. An open job continues.' })
  pauseGapRule(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('paused', () => Boolean, { defaultValue: true, description: 'False lets the rule continue.' }) paused: boolean,
  ) {
    return rules.pauseRule(scope, id, paused);
  }

  @Mutation(() => GapRule, { description: 'Let a rule check all products within a minute.' })
  runGapRule(@Ctx() scope: RequestScope, @Id() id: string) {
    return rules.runRule(scope, id);
  }

  @FieldResolver(() => User, { nullable: true, description: 'The user who created it. Null if the user was deleted.' })
  createdBy(@Ctx() scope: RequestScope, @Root() { createdById }: GapRule) {
    return scope.load(User, createdById);
  }

  @FieldResolver(() => Float, {
    description: 'Credits of its jobs of this calendar month (UTC). An open job counts with all its items.',
  })
  spent(@Ctx() scope: RequestScope, @Root() { id, organizationId }: GapRule) {
    return rules.spentBy(scope.within(organizationId), id);
  }

  @ListSize(rules.MAX_RUNS)
  @FieldResolver(() => [GapRun], { description: 'Its last jobs, at most 5, newest first.' })
  runs(@Ctx() scope: RequestScope, @Root() { id, organizationId }: GapRule) {
    return rules.runsOf(scope.within(organizationId), id);
  }
}

@Resolver(() => GapRun)
export class GapRunResolver {
  @FieldResolver(() => Job)
  job(@Root() { job }: GapRun) {
    return job;
  }
}
