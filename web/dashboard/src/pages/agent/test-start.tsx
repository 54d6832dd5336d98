import { NumberInput, Text } from '@mantine/core';
import { useMutation } from 'urql';
import type { TestTarget } from '../../../.graph/graphql.ts';
import { testsAddress } from '../../agents/test-documents.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { Choice, FormDialog, NumberField, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { useLeave } from '../../parts/leaving.ts';
import { useAddress } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';

const START = graphql(`
  mutation StartTestRun($testSetId: ID!, $input: NewTestRun!) { startTestRun(testSetId: $testSetId, input: $input) { ...RunSummary } }
`);

interface Props {
  agentId: string;
  testSetId: string;
  hasDraft: boolean;
  onClose(): void;
}

/** Starts a run, and shows it. */
export function StartRun({ agentId, testSetId, hasDraft, onClose }: Props) {
  const { tests, actions } = useStrings();
  const address = useAddress();
  const { leaveTo } = useLeave();
  const [, start] = useMutation(START);
  const form = useClosingForm<{ target: TestTarget; repeats: number; creditLimit: number | null }>({
    initialValues: { target: hasDraft ? 'draft' : 'published', repeats: 3, creditLimit: null },
  });
  async function submit({ repeats, ...input }: typeof form.values) {
    const { data } = await start({ testSetId, input: { ...input, repeats: Number(repeats) || 1 } });
    if (data) leaveTo(address(testsAddress(agentId, { run: data.startTestRun.id })));
  }
  const targets: TestTarget[] = hasDraft ? ['draft', 'published'] : ['published'];
  return (
    <FormDialog onClose={onClose} title={tests.runTitle} form={form} onSubmit={submit} submit={actions.start}>
      <Text>{tests.runCost}</Text>
      <Choice
        label={tests.target}
        data={targets.map((value) => ({ value, label: tests.targets[value] }))}
        {...form.getInputProps('target')}
      />
      <NumberInput label={tests.repeats} min={1} max={10} allowDecimal={false} {...form.getInputProps('repeats')} />
      <NumberField
        label={tests.limit}
        description={tests.limitHelp}
        min={1}
        max={1_000_000}
        value={form.values.creditLimit}
        onChange={(value) => form.setFieldValue('creditLimit', value)}
      />
    </FormDialog>
  );
}
