import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { ListSize, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { SNAPSHOT } from '../../../platform/progress/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { JsonObject } from '../../../schema/json.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { SimulatedCustomer, TestCheck, type TestIdentity, type TestRecording } from '../testing/case-parts.ts';
import type { CheckOutcome, RecordedCall, RecordedTurn } from '../testing/checks.ts';
import { ToolResultScalar } from '../tools/entity.ts';
import type { Content } from '../versions/entity.ts';

@ObjectType({ description: 'The number of test cases by outcome.' })
export class TestTally extends output({
  always: field(Int, 'Cases that passed in each repeat.'),
  sometimes: field(Int, 'Flaky cases, which passed in some repeats.'),
  never: field(Int, 'Cases that passed in no repeat.'),
}) {}

@ObjectType({ description: 'A run of a test set. It tests the content that its agent had when the run was started.' })
@Entity({ schema: 'agent', tableName: 'test_runs' })
export class TestRun extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'uuid' })
  testSetId!: string;

  @FieldProperty({ type: 'string', description: 'The name of the test set when the run was started.' })
  testSetName!: string;

  @FieldProperty({ type: 'integer', description: 'The revision of the test set that was tested.' })
  revision!: number;

  @FieldProperty(() => enumTypes.TestTarget, {
    type: 'string',
    description: 'A run of the draft tests the published version beside it.',
  })
  target!: EnumValue<'TestTarget'>;

  @FieldProperty(() => enumTypes.TestTrigger, { type: 'string' })
  trigger!: EnumValue<'TestTrigger'>;

  @FieldProperty({ type: 'text', nullable: true, description: 'The user who started it; null for the schedule.' })
  authorName: string | null = null;

  @FieldProperty(() => enumTypes.TestRunStatus, { type: 'string' })
  status: Opt<EnumValue<'TestRunStatus'>> = 'pending';

  @FieldProperty({ type: 'text', nullable: true, description: 'Why the run failed.' })
  error: string | null = null;

  @FieldProperty({ type: 'integer', description: 'How often each case runs against each content.' })
  repeats!: number;

  @FieldProperty({
    type: 'decimal',
    precision: 16,
    scale: 4,
    runtimeType: 'number',
    nullable: true,
    description: 'The run fails before it would cost more credits; null for no limit.',
  })
  creditLimit: number | null = null;

  @FieldProperty({
    type: 'decimal',
    precision: 16,
    scale: 4,
    runtimeType: 'number',
    description: 'Credits that the run has cost.',
  })
  credits: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'The number of the published version that was tested.' })
  version!: number;

  /** The content that is tested, until the run ends, and the hash by which a publication finds the run. */
  @Property({ type: 'json', nullable: true, lazy: true })
  draftContent?: Content | null;

  @Property({ type: 'string', nullable: true })
  draftHash: string | null = null;

  @Property({ type: 'uuid', nullable: true })
  draftId: string | null = null;

  @FieldProperty({ type: 'integer', description: 'Test cases of the run.' })
  caseCount!: number;

  @FieldProperty({ type: 'integer', description: 'Repeats of all cases against each content.' })
  total!: number;

  @FieldProperty({ type: 'integer', description: 'Repeats that have ended.' })
  finished: Opt<number> = 0;

  @FieldProperty(() => TestTally, {
    type: 'json',
    nullable: true,
    description: 'Null for a run of the published version, and until the run has completed.',
  })
  draft: TestTally | null = null;

  @FieldProperty(() => TestTally, { type: 'json', nullable: true, description: 'Null until the run has completed.' })
  published: TestTally | null = null;

  @FieldProperty({
    type: 'integer',
    nullable: true,
    description:
      'Cases that always passed with the published version, and never with the draft. Null until a run of a draft has completed.',
  })
  regressions: number | null = null;

  @FieldProperty({
    type: 'double',
    nullable: true,
    description:
      'The share of the cases that passed in each repeat: of the draft, or of the published version. Null until the run has completed.',
  })
  share: number | null = null;

  @FieldProperty({ type: 'integer', description: 'Increases with each change of the run.' })
  sequence: Opt<number> = 1;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', nullable: true })
  startedAt: Date | null = null;

  @FieldProperty({ type: 'datetime', nullable: true })
  finishedAt: Date | null = null;
}

@ObjectType({ description: 'A case of a test run, as it was when the run was started.' })
@Entity({ schema: 'agent', tableName: 'test_run_cases' })
export class TestRunCase extends Owned {
  @FieldProperty({ type: 'uuid' })
  runId!: string;

  @FieldProperty({ type: 'uuid', description: 'The id of the case, which may have changed or been deleted since.' })
  caseId!: string;

  @Property({ type: 'uuid', nullable: true })
  messageId: string | null = null;

  @Property({ type: 'uuid', nullable: true })
  contactId: string | null = null;

  @FieldProperty({ type: 'integer', description: 'Starts at 1.' })
  position!: number;

  @FieldProperty({ type: 'string' })
  name!: string;

  @ListSize(10)
  @FieldProperty({ type: 'array' })
  messages!: string[];

  @FieldProperty(() => SimulatedCustomer, { type: 'json', nullable: true })
  customer: SimulatedCustomer | null = null;

  @Property({ type: 'json', nullable: true })
  identity: TestIdentity | null = null;

  @ListSize(20)
  @FieldProperty(() => [TestCheck], { type: 'json' })
  checks!: TestCheck[];

  @Property({ type: 'json' })
  recordings!: TestRecording[];

  @FieldProperty({ type: 'text', nullable: true })
  expectation: string | null = null;

  @FieldProperty(() => enumTypes.TestOutcome, {
    type: 'string',
    nullable: true,
    description: 'Null without a draft, and until its repeats have ended.',
  })
  draft: EnumValue<'TestOutcome'> | null = null;

  @FieldProperty(() => enumTypes.TestOutcome, { type: 'string', nullable: true, description: 'Null until its repeats have ended.' })
  published: EnumValue<'TestOutcome'> | null = null;

  @FieldProperty({
    type: 'boolean',
    description: 'Whether the case always passed with the published version, and never with the draft.',
  })
  regressed: Opt<boolean> = false;
}

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
export class TestTurn
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
@Entity({ schema: 'agent', tableName: 'test_results' })
export class TestResult extends Owned {
  @FieldProperty({ type: 'uuid' })
  runId!: string;

  @FieldProperty({ type: 'uuid' })
  runCaseId!: string;

  @FieldProperty(() => enumTypes.TestTarget, { type: 'string' })
  target!: EnumValue<'TestTarget'>;

  @FieldProperty({ type: 'integer', description: 'The number of the repeat; starts at 1.' })
  repeat!: number;

  /** The order in which the run works. */
  @Property({ type: 'integer' })
  turn!: number;

  @FieldProperty(() => enumTypes.TestResultStatus, { type: 'string' })
  status: Opt<EnumValue<'TestResultStatus'>> = 'pending';

  @FieldProperty({ type: 'text', nullable: true, description: 'Why no reply could be written.' })
  error: string | null = null;

  @ListSize(10)
  @FieldProperty(() => [TestTurn], { type: 'json' })
  turns: Opt<TestTurn[]> = [];

  @ListSize(20)
  @FieldProperty(() => [TestCheckOutcome], { type: 'json' })
  checks: Opt<TestCheckOutcome[]> = [];

  @FieldProperty(() => TestJudgment, {
    type: 'json',
    nullable: true,
    description: 'Null without an expectation, and if the model gave no answer.',
  })
  judgment: TestJudgment | null = null;

  @FieldProperty({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  credits: Opt<number> = 0;

  @FieldProperty({ type: 'text', nullable: true, description: 'The model that replied, as named by the provider.' })
  model: string | null = null;

  @FieldProperty({ type: 'integer' })
  inputTokens: Opt<number> = 0;

  @FieldProperty({ type: 'integer' })
  outputTokens: Opt<number> = 0;

  @FieldProperty({ type: 'datetime', nullable: true })
  finishedAt: Date | null = null;
}

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

@ArgsType()
export class TestRunsArguments extends args(pageArguments(20, 50), {
  agentId: field(ID),
  testSetId: field(ID, { nullable: true, description: 'Only runs of this test set.' }),
}) {}

@ArgsType()
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
