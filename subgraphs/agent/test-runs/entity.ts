import { GraphQLJSONObject } from 'graphql-scalars';
import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { SNAPSHOT } from '../../../platform/progress/index.ts';
import type { JsonObject } from '../../../schema/json.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { SimulatedCustomer, TestCheck, type TestIdentity, type TestRecording } from '../testing/case-parts.ts';
import type { CheckOutcome, RecordedCall, RecordedTurn } from '../testing/checks.ts';
import { ToolResultScalar } from '../tools/entity.ts';
import type { Content } from '../versions/entity.ts';

@ObjectType({ description: 'The number of test cases by outcome.' })
class TestTally extends output({
  always: field(Int, 'Cases that passed in each repeat.'),
  sometimes: field(Int, 'Flaky cases, which passed in some repeats.'),
  never: field(Int, 'Cases that passed in no repeat.'),
}) {}

@ObjectType({ description: 'A run of a test set. It tests the content that its agent had when the run was started.' })
@Table('agent.test_runs')
export class TestRun extends columns(Owned, {
  agentId: column('uuid'),
  testSetId: column('uuid'),
  testSetName: column('string', 'The name of the test set when the run was started.'),
  revision: column('integer', 'The revision of the test set that was tested.'),
  target: column(enumTypes.TestTarget, 'A run of the draft tests the published version beside it.'),
  trigger: column(enumTypes.TestTrigger),
  authorName: column('text', { nullable: true, description: 'The user who started it; null for the schedule.' }),
  status: column(enumTypes.TestRunStatus, { initial: 'pending' }),
  error: column('text', { nullable: true, description: 'Why the run failed.' }),
  repeats: column('integer', 'How often each case runs against each content.'),
  creditLimit: column('credits', {
    nullable: true,
    description: 'The run fails before it would cost more credits; null for no limit.',
  }),
  credits: column('credits', { initial: 0, description: 'Credits that the run has cost.' }),
  version: column('integer', 'The number of the published version that was tested.'),
  /** The content that is tested, until the run ends, and the hash by which a publication finds the run. */
  draftContent: hidden('json', { nullable: true, optional: true, lazy: true }).as<Content>(),
  draftHash: hidden('string', { nullable: true }),
  draftId: hidden('uuid', { nullable: true }),
  caseCount: column('integer', 'Test cases of the run.'),
  total: column('integer', 'Repeats of all cases against each content.'),
  finished: column('integer', { initial: 0, description: 'Repeats that have ended.' }),
  draft: column(TestTally, {
    type: 'json',
    nullable: true,
    description: 'Null for a run of the published version, and until the run has completed.',
  }),
  published: column(TestTally, { type: 'json', nullable: true, description: 'Null until the run has completed.' }),
  regressions: column('integer', {
    nullable: true,
    description:
      'Cases that always passed with the published version, and never with the draft. Null until a run of a draft has completed.',
  }),
  share: column('double', {
    nullable: true,
    description:
      'The share of the cases that passed in each repeat: of the draft, or of the published version. Null until the run has completed.',
  }),
  sequence: column('integer', { initial: 1, description: 'Increases with each change of the run.' }),
  createdAt: column('datetime', { initial: clock.now }),
  startedAt: column('datetime', { nullable: true }),
  finishedAt: column('datetime', { nullable: true }),
}) {}

@ObjectType({ description: 'A case of a test run, as it was when the run was started.' })
@Table('agent.test_run_cases')
export class TestRunCase extends columns(Owned, {
  runId: column('uuid'),
  caseId: column('uuid', 'The id of the case, which may have changed or been deleted since.'),
  messageId: hidden('uuid', { nullable: true }),
  contactId: hidden('uuid', { nullable: true }),
  position: column('integer', 'Starts at 1.'),
  name: column('string'),
  messages: column('array', { assumedSize: 10 }),
  customer: column(SimulatedCustomer, { type: 'json', nullable: true }),
  identity: hidden('json', { nullable: true }).as<TestIdentity>(),
  checks: column([TestCheck], { type: 'json', assumedSize: 20 }),
  recordings: hidden('json').as<TestRecording[]>(),
  expectation: column('text', { nullable: true }),
  draft: column(enumTypes.TestOutcome, { nullable: true, description: 'Null without a draft, and until its repeats have ended.' }),
  published: column(enumTypes.TestOutcome, { nullable: true, description: 'Null until its repeats have ended.' }),
  regressed: column('boolean', {
    initial: false,
    description: 'Whether the case always passed with the published version, and never with the draft.',
  }),
}) {}

@ObjectType({ description: 'A call of a tool in a test. No request was sent.' })
class TestCall
  extends output({
    tool: field(String),
    arguments: field(GraphQLJSONObject).as<JsonObject>(),
    answer: field(enumTypes.TestAnswer),
    output: field(ToolResultScalar, { nullable: true, description: 'The result that the model saw.' }).as<unknown>(),
    error: field(String, { nullable: true, description: 'The error that the model saw; null for a result.' }),
  })
  implements RecordedCall {}

@ObjectType({ description: 'A source that a reply cites.' })
class TestSource extends output({
  title: field(String, { nullable: true }),
  url: field(String, { nullable: true }),
}) {}

@ObjectType({ description: 'A message of the visitor in a test, and the reply.' })
class TestTurn
  extends output({
    question: field(String),
    reply: field(String),
    calls: list(TestCall, { assumedSize: 10 }),
    sources: list(TestSource, { assumedSize: 10 }),
    declined: field(Boolean, 'Whether the reply says that nothing answers the question.'),
    durationMs: field(Int, 'Milliseconds until the reply was complete.'),
    firstTextMs: field(Int, { nullable: true, description: 'Milliseconds until its first character; null without text.' }),
  })
  implements RecordedTurn {}

@ObjectType({ description: 'The outcome of one check.' })
export class TestCheckOutcome
  extends output({
    check: field(TestCheck),
    passed: field(Boolean),
    reason: field(String, { nullable: true, description: 'Why it does not hold; null if it does.' }),
  })
  implements CheckOutcome {}

@ObjectType({ description: 'The opinion of a model about a reply. It decides nothing.' })
export class TestJudgment extends output({
  agrees: field(Boolean, 'Whether the reply is as expected.'),
  reason: field(String),
}) {}

@ObjectType({ description: 'One repeat of a test case against one content.' })
@Table('agent.test_results')
export class TestResult extends columns(Owned, {
  runId: column('uuid'),
  runCaseId: column('uuid'),
  target: column(enumTypes.TestTarget),
  repeat: column('integer', 'The number of the repeat; starts at 1.'),
  /** The order in which the run works. */
  turn: hidden('integer'),
  status: column(enumTypes.TestResultStatus, { initial: 'pending' }),
  error: column('text', { nullable: true, description: 'Why no reply could be written.' }),
  turns: column([TestTurn], { type: 'json', initial: [], assumedSize: 10 }),
  checks: column([TestCheckOutcome], { type: 'json', initial: [], assumedSize: 20 }),
  judgment: column(TestJudgment, {
    type: 'json',
    nullable: true,
    description: 'Null without an expectation, and if the model gave no answer.',
  }),
  credits: column('credits', { initial: 0 }),
  model: column('text', { nullable: true, description: 'The model that replied, as named by the provider.' }),
  inputTokens: column('integer', { initial: 0 }),
  outputTokens: column('integer', { initial: 0 }),
  finishedAt: column('datetime', { nullable: true }),
}) {}

@InputType({ description: 'A test run to start.' })
export class NewTestRun extends input({
  target: field(enumTypes.TestTarget, {
    defaultValue: 'draft',
    description: 'A run of the draft tests the published version beside it, which a publication needs.',
  }),
  repeats: field(Int, { min: 1, max: 10, defaultValue: 3, description: 'How often each case runs against each content.' }),
  creditLimit: field(Float, {
    min: 1,
    max: 1_000_000,
    nullable: true,
    description: 'The run fails before it would cost more credits. Default: no limit.',
  }),
}) {}

export class TestRunsArguments extends args(pageArguments(20, 50), {
  agentId: field(ID),
  testSetId: field(ID, { nullable: true, description: 'Only runs of this test set.' }),
}) {}

export class TestRunCasesArguments extends args(pageArguments(50), {
  outcome: field(enumTypes.TestOutcome, {
    nullable: true,
    description: 'Only cases with this outcome: of the draft, or of the published version in a run without one.',
  }),
  regressed: field(Boolean, { defaultValue: false, description: 'Only cases that regressed.' }),
}) {}

@ObjectType({ description: 'One page of test runs.' })
export class TestRunPage extends PageOf(TestRun, 'TestRunPage') {}

@ObjectType({ description: 'One page of the cases of a test run.' })
export class TestRunCasePage extends PageOf(TestRunCase, 'TestRunCasePage') {}

@ObjectType({ description: 'The state of a test run after one or more changes.' })
export class TestRunUpdate extends output({
  runId: field(ID),
  sequence: field(Int, 'Number of the last change in this update.'),
  isSnapshot: field(Boolean, SNAPSHOT),
  status: field(enumTypes.TestRunStatus),
  finished: field(Int, 'Repeats that have ended.'),
  total: field(Int, 'Repeats of all cases.'),
  credits: field(Float, 'Credits that the run has cost.'),
  error: field(String, { nullable: true, description: 'Why the run failed.' }),
}) {}
