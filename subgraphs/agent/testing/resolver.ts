import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Agent } from '../agents/entity.ts';
import { findAgent } from '../agents/service.ts';
import { TestRun } from '../test-runs/entity.ts';
import { lastRunOf } from '../test-runs/service.ts';
import {
  DeletedTestSet,
  DeleteTestCasesArguments,
  ImportedTestCases,
  NewPublishRequirement,
  NewTestCase,
  NewTestSet,
  PublishRequirement,
  TestCase,
  TestCaseChange,
  TestCasePage,
  TestCasesArguments,
  TestSet,
  TestSetChange,
} from './entity.ts';
import { createCaseFromReply } from './from-reply.ts';
import { refusalOf } from './gate.ts';
import { importCases } from './import-cases.ts';
import * as testing from './service.ts';

@Access('admin')
@Resolver(() => TestSet)
export class TestSetResolver {
  @ListSize(testing.MAX_SETS)
  @Query(() => [TestSet], { nullable: true, description: 'The test sets of an agent, by name.' })
  testSets(@Ctx() scope: RequestScope, @Id('agentId') agentId: string) {
    return testing.listSets(scope, agentId);
  }

  @Query(() => TestSet, { nullable: true, description: 'One test set by id.' })
  testSet(@Ctx() scope: RequestScope, @Id() id: string) {
    return testing.findSet(scope, id);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => TestSet, { description: 'Create a test set. An agent can have up to 50. A draft uses those of its agent.' })
  createTestSet(@Ctx() scope: RequestScope, @Id('agentId') agentId: string, @Arg('input', () => NewTestSet) input: NewTestSet) {
    return testing.createSet(scope, agentId, input);
  }

  @Mutation(() => TestSet, { description: 'Rename a test set, or change whether it runs each night.' })
  updateTestSet(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => TestSetChange) input: TestSetChange) {
    return testing.updateSet(scope, id, input);
  }

  @Mutation(() => DeletedTestSet, { description: 'Delete a test set with its cases and runs.' })
  deleteTestSet(@Ctx() scope: RequestScope, @Id() id: string) {
    return testing.deleteSet(scope, id);
  }

  @Query(() => TestCasePage, { nullable: true, description: 'The cases of a test set, oldest first.' })
  testCases(@Ctx() scope: RequestScope, @Args(() => TestCasesArguments) page: TestCasesArguments) {
    return testing.listCases(scope, page);
  }

  @Query(() => TestCase, { nullable: true, description: 'One test case by id.' })
  testCase(@Ctx() scope: RequestScope, @Id() id: string) {
    return testing.findCase(scope, id);
  }

  @Idempotent()
  @Mutation(() => TestCase, { description: 'Add a case to a test set, which can have up to 500.' })
  createTestCase(
    @Ctx() scope: RequestScope,
    @Id('testSetId') testSetId: string,
    @Arg('input', () => NewTestCase) input: NewTestCase,
  ) {
    return testing.createCase(scope, testSetId, input);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => TestCase, {
    description:
      'Add a case from a reply of the agent: the messages of the visitor until then, with the results of its tools as recordings. E-mail addresses, phone numbers, long numbers and the name of the contact are replaced.',
  })
  createTestCaseFromReply(
    @Ctx() scope: RequestScope,
    @Id('testSetId') testSetId: string,
    @Arg('messageId', () => ID, { description: 'The reply, also of an unanswered question or with a bad rating.' })
    messageId: string,
    @Arg('answer', () => String, {
      nullable: true,
      description:
        'The answer that the agent should have given. Its numbers become checks, and a model compares it with the reply.',
    })
    answer?: string | null,
  ) {
    return createCaseFromReply(scope, testSetId, messageId, answer ?? null);
  }

  @Mutation(() => ImportedTestCases, {
    description:
      'Add the cases of a file. JSON is a list of `NewTestCase`. CSV has the columns `name` and `message`, and columns named like the kinds of checks; a cell with several lines has several messages or checks.',
  })
  importTestCases(
    @Ctx() scope: RequestScope,
    @Id('testSetId') testSetId: string,
    @Arg('format', () => enumTypes.TestFileFormat) format: EnumValue<'TestFileFormat'>,
    @Arg('text', () => String, { description: 'The file, at most 1,000,000 characters.' }) text: string,
  ) {
    return importCases(scope, testSetId, format, text);
  }

  @Mutation(() => TestCase, { description: 'Change a test case. Omitted fields stay unchanged.' })
  updateTestCase(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => TestCaseChange) input: TestCaseChange) {
    return testing.updateCase(scope, id, input);
  }

  @Mutation(() => Int, { description: 'Delete cases of a test set. Returns their number.' })
  deleteTestCases(@Ctx() scope: RequestScope, @Args(() => DeleteTestCasesArguments) cases: DeleteTestCasesArguments) {
    return testing.deleteCases(scope, cases);
  }

  @FieldResolver(() => Int)
  caseCount(@Ctx() scope: RequestScope, @Root() { id, organizationId }: TestSet) {
    return testing.caseCountOf(scope.within(organizationId), id);
  }

  @FieldResolver(() => TestRun, { nullable: true, description: 'The newest run; null before the first one.' })
  lastRun(@Ctx() scope: RequestScope, @Root() { id, organizationId }: TestSet) {
    return lastRunOf(scope.within(organizationId), id);
  }
}

@Resolver(() => Agent)
export class AgentTestsResolver {
  @Authorized('owner')
  @Mutation(() => Agent, {
    description:
      'Require that tests pass before content of an agent is published, by a draft or by a direct change. A run needs 3 repeats or more. Null requires none.',
  })
  async requireTestsToPublish(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('requirement', () => NewPublishRequirement, { nullable: true }) requirement?: NewPublishRequirement | null,
  ) {
    await testing.requireTests(scope, agentId, requirement ?? null);
    return findAgent(scope, agentId);
  }

  @FieldResolver(() => PublishRequirement, {
    nullable: true,
    description: 'The tests that content must pass before it is published; null for none. A draft has that of its agent.',
  })
  publishRequires(@Ctx() scope: RequestScope, @Root() { id, draftOf, organizationId }: Agent) {
    return testing.requirementOf(scope.within(organizationId), draftOf ?? id);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Why a draft cannot be published as it is: the tests that it lacks or fails. Null if it can, and for other agents.',
  })
  publishRefusal(@Ctx() scope: RequestScope, @Root() { id, draftOf, organizationId }: Agent) {
    return draftOf ? refusalOf(scope.within(organizationId), { agentId: draftOf, contentOf: id }) : null;
  }
}
