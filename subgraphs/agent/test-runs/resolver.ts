import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { AFTER } from '../../../platform/progress/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { AgentSummary } from '../agents/entity.ts';
import { summaryOf } from '../agents/service.ts';
import {
  NewTestRun,
  TestResult,
  TestRun,
  TestRunCase,
  TestRunCasePage,
  TestRunCasesArguments,
  TestRunPage,
  TestRunsArguments,
  TestRunUpdate,
} from './entity.ts';
import { reportOf } from './report.ts';
import * as runs from './service.ts';

@Access('admin')
@Resolver(() => TestRun)
export class TestRunResolver {
  @Query(() => TestRunPage, {
    nullable: true,
    description: 'The test runs of an agent, newest first. The newest 30 of each test set are kept.',
  })
  testRuns(@Ctx() scope: RequestScope, @Args(() => TestRunsArguments) page: TestRunsArguments) {
    return runs.listRuns(scope, page);
  }

  @Query(() => TestRun, { nullable: true, description: 'One test run by id.' })
  testRun(@Ctx() scope: RequestScope, @Id() id: string) {
    return runs.findRun(scope, id);
  }

  @Query(() => TestRunCase, { nullable: true, description: 'One case of a test run by id.' })
  testRunCase(@Ctx() scope: RequestScope, @Id() id: string) {
    return runs.findRunCase(scope, id);
  }

  @ListSize(20)
  @Query(() => [TestRun], {
    description:
      'The last nightly run of each test set, if it failed in the last 7 days: fewer of its cases passed than publishing requires (without a requirement: not all), or it could not be finished. At most 20.',
  })
  failedNightlyTestRuns(@Ctx() scope: RequestScope) {
    return runs.listFailedNightly(scope);
  }

  @Query(() => String, {
    nullable: true,
    description: 'The report of a test run for continuous integration, as JSON or as JUnit XML.',
  })
  testRunReport(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('format', () => enumTypes.TestReportFormat) format: EnumValue<'TestReportFormat'>,
  ) {
    return reportOf(scope, id, format);
  }

  @Idempotent()
  @Mutation(() => TestRun, {
    description:
      'Run a test set. Each reply costs as much as one in a chat, and each judgment costs 1 credit. Nothing is sent: tools answer with recordings, or return their requests.',
  })
  startTestRun(@Ctx() scope: RequestScope, @Id('testSetId') testSetId: string, @Arg('input', () => NewTestRun) input: NewTestRun) {
    return runs.startRun(scope, testSetId, input);
  }

  @Mutation(() => TestRun, {
    description: 'Stop a test run. Its open repeats are skipped. Those in progress cost the replies that have begun.',
  })
  stopTestRun(@Ctx() scope: RequestScope, @Id() id: string) {
    return runs.stopRun(scope, id);
  }

  @Subscription(() => TestRunUpdate, {
    description: 'The states of a test run until it ends. A client that reconnects with the last `sequence` misses no change.',
    subscribe: ({ context, args }) => runs.followRun(context as RequestScope, args.id, args.after),
  })
  testRunProgress(
    @Root() update: TestRunUpdate,
    @Id() _id: string,
    @Arg('after', () => Int, { nullable: true, description: AFTER }) _after?: number | null,
  ): TestRunUpdate {
    return update;
  }

  @FieldResolver(() => AgentSummary, { description: 'The agent of the run.' })
  agent(@Ctx() scope: RequestScope, @Root() { agentId, organizationId }: TestRun) {
    return summaryOf(scope.within(organizationId), agentId);
  }

  @FieldResolver(() => TestRunCasePage, { description: 'The cases of the run, in the order of its test set.' })
  cases(@Ctx() scope: RequestScope, @Root() run: TestRun, @Args(() => TestRunCasesArguments) page: TestRunCasesArguments) {
    return runs.listRunCases(scope.within(run.organizationId), run, page);
  }
}

@Resolver(() => TestRunCase)
export class TestResultResolver {
  @ListSize(20)
  @FieldResolver(() => [TestResult], { description: 'The repeats of the case: those against the draft first.' })
  results(@Ctx() scope: RequestScope, @Root() { id, organizationId }: TestRunCase) {
    return runs.resultsOf(scope.within(organizationId), id);
  }
}
