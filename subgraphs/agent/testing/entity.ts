import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { column, columns, Deletion, hidden, Owned, Table, timestamps } from '../../../platform/database/index.ts';
import { args, changeOf, field, input, list, NAME, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import {
  checkOf,
  MAX_MESSAGES,
  NewSimulatedCustomer,
  NewTestCheck,
  NewTestIdentity,
  NewTestRecording,
  SimulatedCustomer,
  TestCheck,
  TestIdentity,
  TestRecording,
} from './case-parts.ts';
import { checkFaults } from './checks.ts';

@ObjectType({ description: 'Cases that the replies of an agent must pass.' })
@Table('agent.test_sets')
export class TestSet extends columns(Owned, {
  agentId: column('uuid'),
  name: column('string', 'Unique within the agent.'),
  nightly: column('boolean', { initial: false, description: 'Whether the set runs against the published version each night.' }),
  revision: column('integer', {
    initial: 1,
    description: 'Increases with each change of its cases. A run names the revision that it tested.',
  }),
  /** The share of cases that publishing requires; null if the set is no gate. */
  requiredShare: hidden('double', { nullable: true }),
  nextRunAt: column('datetime', { nullable: true, description: 'When the next nightly run starts; null without one.' }),
  ...timestamps,
}) {}

@ObjectType({ description: 'Messages of a visitor to an agent, and what must hold for the replies.' })
@Table('agent.test_cases')
export class TestCase extends columns(Owned, {
  testSetId: column('uuid'),
  name: column('string'),
  messages: column('array', {
    assumedSize: MAX_MESSAGES,
    description: 'The messages of the visitor. Each one is sent after the reply to the one before.',
  }),
  customer: column(SimulatedCustomer, { type: 'json', nullable: true, description: 'Null without a customer that a model plays.' }),
  identity: column(TestIdentity, { type: 'json', nullable: true, description: 'Null for a visitor who is not signed in.' }),
  checks: column([TestCheck], { type: 'json', assumedSize: 20, description: 'All of them must hold.' }),
  recordings: column([TestRecording], {
    type: 'json',
    initial: [],
    assumedSize: 10,
    description: 'Answers of tools. Other calls return their request, and are not sent.',
  }),
  expectation: column('text', {
    nullable: true,
    description: 'The answer that is expected, which a model compares with the reply. Its judgment never decides; null for none.',
  }),
  origin: column(enumTypes.TestCaseOrigin, { initial: 'manual' }),
  messageId: column('uuid', { nullable: true, description: 'The reply that the case was made from; null for other cases.' }),
  /** The contact of the conversation that the case was made from. An erasure finds it also after the conversation was deleted. */
  contactId: hidden('uuid', { nullable: true }),
  ...timestamps,
}) {}

/** Characters of JSON of arguments, claims, and outputs. */
const [MAX_JSON, MAX_OUTPUT] = [10_000, 50_000];
const isLarge = (value: unknown, limit: number) => (JSON.stringify(value) ?? '').length > limit;

@InputType({ description: 'A test set to create.' })
export class NewTestSet extends input({
  name: field(String, { ...NAME, description: 'Unique within the agent.' }),
  nightly: field(Boolean, { defaultValue: false, description: 'Whether the set runs against the published version each night.' }),
}) {}

@InputType({ description: 'Changes to a test set. Fields that are omitted or null stay unchanged.' })
export class TestSetChange extends changeOf(NewTestSet) {}

@InputType({ description: 'A test case to create.' })
export class NewTestCase extends input({
  name: field(String, { ...NAME }),
  messages: list(String, {
    maxItems: MAX_MESSAGES,
    minLength: 1,
    maxLength: 20_000,
    description: 'The messages of the visitor. At least one, or a customer.',
  }),
  customer: field(NewSimulatedCustomer, { nullable: true, description: 'Default: none.' }),
  identity: field(NewTestIdentity, {
    *faults(value, path) {
      if (isLarge((value as NewTestIdentity).claims, MAX_JSON))
        yield `${path}.claims must be at most ${MAX_JSON} characters of JSON`;
    },
    nullable: true,
    description: 'Default: a visitor who is not signed in.',
  }),
  checks: list(NewTestCheck, {
    minItems: 1,
    maxItems: 50,
    *faults(value, path) {
      const checks = value as NewTestCheck[];
      yield* checkFaults(checks.map(checkOf), path);
      for (const [index, each] of checks.entries())
        if (isLarge(each.arguments, MAX_JSON)) yield `${path}[${index}].arguments must be at most ${MAX_JSON} characters of JSON`;
    },
    description: 'All of them must hold.',
  }),
  recordings: list(NewTestRecording, {
    maxItems: 50,
    *faults(value, path) {
      for (const [index, each] of (value as NewTestRecording[]).entries()) {
        if (isLarge(each.arguments, MAX_JSON)) yield `${path}[${index}].arguments must be at most ${MAX_JSON} characters of JSON`;
        if (isLarge(each.output, MAX_OUTPUT)) yield `${path}[${index}].output must be at most ${MAX_OUTPUT} characters of JSON`;
      }
    },
    nullable: true,
    description:
      'Answers of tools; the first that fits a call is used. Other calls return their request, and are not sent. Default: none.',
  }),
  expectation: field(String, {
    maxLength: 4_000,
    nullable: true,
    description: 'The answer that is expected, which a model compares with the reply. Its judgment never decides. Default: none.',
  }),
}) {}

@InputType({ description: 'Changes to a test case. Omitted fields stay unchanged; null removes what the case may lack.' })
export class TestCaseChange extends changeOf(NewTestCase) {}

export class DeleteTestCasesArguments extends args({
  testSetId: field(ID),
  ids: list(ID, { maxItems: 500 }),
}) {}

export class TestCasesArguments extends args(pageArguments(50), {
  testSetId: field(ID),
  search: field(String, { maxLength: 256, nullable: true, description: 'Part of the name, in any case.' }),
}) {}

@ObjectType({ description: 'One page of test cases.' })
export class TestCasePage extends PageOf(TestCase, 'TestCasePage') {}

@ObjectType({ description: 'A row of a file that became no test case.' })
class RefusedTestCase extends output({
  row: field(Int, 'The number of the case in the file; starts at 1.'),
  reason: field(String),
}) {}

@ObjectType({ description: 'The result of reading a file of test cases.' })
export class ImportedTestCases extends output({
  added: field(Int, 'Number of cases that were added.'),
  refused: list(RefusedTestCase, { assumedSize: 50, description: 'The first 50 rows that were refused.' }),
}) {}

@ObjectType({ description: 'The tests that must pass before content of an agent is published.' })
export class PublishRequirement extends output({
  testSetId: field(ID),
  share: field(Float, 'The share of the cases that must pass in each repeat, 0 to 1.'),
}) {}

@InputType({ description: 'The tests that must pass before content of an agent is published.' })
export class NewPublishRequirement extends input({
  testSetId: field(ID, 'A test set of the agent.'),
  share: field(Float, { min: 0, max: 1, description: 'The share of the cases that must pass in each repeat, 0 to 1.' }),
}) {}

@ObjectType({ description: 'Confirms that a test set was deleted.' })
export class DeletedTestSet extends Deletion {}
