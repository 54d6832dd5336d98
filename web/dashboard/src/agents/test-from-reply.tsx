import { Text, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { Choice, FormDialog, LongText, useClosingForm } from '../parts/forms-and-dialogs.tsx';
import { showUndo } from '../parts/overlays.tsx';
import { useGo } from '../session/organization-choice.tsx';
import { useStrings } from '../strings/strings.tsx';
import { CREATE_SET, testsAddress } from './test-documents.ts';

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
      <LongText
        label={tests.shouldHave}
        description={tests.shouldHaveHelp}
        rows={[3, 10]}
        maxLength={4_000}
        data-autofocus
        {...form.getInputProps('answer')}
      />
      {sets.length > 0 && (
        <Choice
          label={tests.testSet}
          data={[...sets.map(({ id, name }) => ({ value: id, label: name })), { value: NEW, label: tests.otherSet }]}
          value={chosen}
          onChange={(value) => form.setFieldValue('set', value)}
        />
      )}
      {chosen === NEW && <TextInput label={tests.newSetName} maxLength={255} {...form.getInputProps('name')} />}
    </FormDialog>
  );
}
