import { Group, Text, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import type { TestCasesQuery, TestOutcome, TestRunPageQuery, TestSetsQuery } from '../../.graph/graphql.ts';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { Tag } from '../parts/elements.tsx';
import { Choice, FormDialog, LongText, useClosingForm } from '../parts/forms-and-dialogs.tsx';
import { showUndo } from '../parts/overlays.tsx';
import { useGo } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';

graphql(`
  fragment RunSummary on TestRun {
    id testSetId testSetName target trigger authorName status error repeats credits version caseCount total finished sequence
    regressions share createdAt finishedAt
    draft { always sometimes never }
    published { always sometimes never }
  }
`);
export const TEST_SETS = graphql(`
  query TestSets($agentId: ID!) {
    agent(id: $agentId) { id draftId publishRequires { testSetId share } }
    testSets(agentId: $agentId) { id agentId name nightly caseCount lastRun { ...RunSummary } }
  }
`);
export const CREATE_SET = graphql(`
  mutation CreateTestSet($agentId: ID!, $input: NewTestSet!) { createTestSet(agentId: $agentId, input: $input) { id } }
`);
export const UPDATE_SET = graphql(`
  mutation UpdateTestSet($id: ID!, $input: TestSetChange!) { updateTestSet(id: $id, input: $input) { id name nightly } }
`);
export const TEST_CASES = graphql(`
  query TestCases($testSetId: ID!, $page: Int!, $limit: Int!) {
    testCases(testSetId: $testSetId, page: $page, limit: $limit) {
      nodes {
        id name messages expectation origin
        identity { subject email name claims }
        customer { goal manner maxMessages }
        checks { kind text number unit tool arguments }
        recordings { tool arguments output error }
      }
      pagination { total }
    }
  }
`);
export const TEST_RUN = graphql(`
  query TestRunPage($id: ID!) { testRun(id: $id) { ...RunSummary } }
`);

export type TestSetRow = TestSetsQuery['testSets'][number];
export type TestCaseRow = TestCasesQuery['testCases']['nodes'][number];
export type RunRow = TestRunPageQuery['testRun'];

/** The address of a test set or of a run, among the tests of an agent. */
export const testsAddress = (agentId: string, place: { set?: string; run?: string; case?: string } = {}): string => {
  const parameters = new URLSearchParams(place as Record<string, string>).toString();
  return `agents/${agentId}/tests${parameters && `?${parameters}`}`;
};

const statusColors = { pending: 'gray', processing: 'blue', completed: 'teal', failed: 'red', stopped: 'gray' } as const;
const outcomeColors = { always: 'teal', sometimes: 'yellow', never: 'red' } as const;

/** Whether the run may still change. */
export const isRunning = ({ status }: Pick<RunRow, 'status'>): boolean => status === 'pending' || status === 'processing';

/** The status of a run; of a completed one, how much passed and how many cases got worse. */
export function RunState({ run: { status, share, regressions } }: { run: Pick<RunRow, 'status' | 'share' | 'regressions'> }) {
  const { tests, formats } = useStrings();
  if (status !== 'completed' || typeof share !== 'number')
    return <Tag label={tests.statuses[status]} color={statusColors[status]} />;
  return (
    <Group gap={6}>
      <Tag label={tests.share(formats.precisePercent(share))} color={share === 1 ? 'teal' : 'orange'} />
      {!!regressions && <Tag label={tests.regressions(regressions, formats.number(regressions))} color="red" />}
    </Group>
  );
}

/** The outcome of a case: passed always, sometimes or never. */
export function Outcome({ outcome }: { outcome?: TestOutcome | null }) {
  const { tests } = useStrings();
  return outcome ? <Tag label={tests.outcomes[outcome]} color={outcomeColors[outcome]} /> : <Text>–</Text>;
}

const SETS = graphql(`query TestSetNames($agentId: ID!) { testSets(agentId: $agentId) { id name } }`);
const MAKE = graphql(`
  mutation MakeTestCase($testSetId: ID!, $messageId: ID!, $answer: String) {
    createTestCaseFromReply(testSetId: $testSetId, messageId: $messageId, answer: $answer) { id }
  }
`);
/** The choice of a test set that is created with the case. */
const NEW = 'new';

interface Props {
  agentId: string;
  /** The reply that should have been another. */
  messageId: string;
  onClose(): void;
}

/** Makes a test case from a reply to a visitor, in a test set or in a new one. */
export function TestFromReply({ agentId, messageId, onClose }: Props) {
  const { tests, actions } = useStrings();
  const { leaveTo } = useGo();
  const [{ data }] = useQuery({ query: SETS, variables: { agentId } });
  const [, createSet] = useMutation(CREATE_SET);
  const [, make] = useMutation(MAKE);
  const form = useClosingForm({ initialValues: { set: '', name: '', answer: '' } });
  const sets = data?.testSets ?? [];
  const chosen = form.values.set || sets[0]?.id || NEW;

  async function submit({ name, answer }: typeof form.values) {
    let testSetId: string | undefined = chosen;
    if (chosen === NEW) {
      const created = await createSet({ agentId, input: { name: name.trim() || tests.sets, nightly: false } });
      testSetId = created.data?.createTestSet.id;
    }
    if (!testSetId) return;
    const { data: made } = await make({ testSetId, messageId, answer: answer.trim() || null });
    if (!made) return form.setFieldValue('set', testSetId);
    const place = { set: testSetId, case: made.createTestCaseFromReply.id };
    showUndo(tests.made, actions.open, () => leaveTo(testsAddress(agentId, place)));
    onClose();
  }
  return (
    <FormDialog guarded onClose={onClose} title={tests.make} form={form} onSubmit={submit} submit={tests.make} disabled={!data}>
      <Text>{tests.makeText}</Text>
      <LongText {...form.field('answer', tests.shouldHave, tests.shouldHaveHelp)} rows={[3, 10]} maxLength={4_000} data-autofocus />
      {sets.length > 0 && (
        <Choice
          label={tests.testSet}
          data={[...sets.map(({ id, name }) => ({ value: id, label: name })), { value: NEW, label: tests.otherSet }]}
          value={chosen}
          onChange={(value) => form.setFieldValue('set', value)}
        />
      )}
      {chosen === NEW && <TextInput {...form.field('name', tests.newSetName)} maxLength={255} />}
    </FormDialog>
  );
}
