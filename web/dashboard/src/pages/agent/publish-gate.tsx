import { Group, NumberInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { TestSetRow } from '../../agents/test-documents.ts';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import { Note, Submit } from '../../parts/elements.tsx';
import { Choice } from '../../parts/forms-and-dialogs.tsx';
import { Section } from '../../parts/page-frame.tsx';
import { useOrganization } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';

const REQUIRE = graphql(`
  mutation RequireTests($agentId: ID!, $requirement: NewPublishRequirement) {
    requireTestsToPublish(agentId: $agentId, requirement: $requirement) { id publishRequires { testSetId share } }
  }
`);

interface Props {
  agentId: string;
  requirement: { testSetId: string; share: number } | null;
  sets: readonly TestSetRow[];
}

/** The tests that a publication of the agent requires. Owners change it. */
export function PublishGate({ agentId, requirement, sets }: Props) {
  const { tests, terms, actions } = useStrings();
  const { organization } = useOrganization();
  const isOwner = organization.role === 'owner';
  const [save, isSaving] = useAction(REQUIRE, { done: tests.gateSaved, after: () => form.resetDirty() });
  const form = useForm({
    initialValues: { testSetId: requirement?.testSetId ?? '', percent: Math.round((requirement?.share ?? 1) * 100) },
  });
  const submit = ({ testSetId, percent }: typeof form.values) =>
    save({ agentId, requirement: testSetId ? { testSetId, share: Number(percent) / 100 } : null });
  return (
    <Section title={tests.gate}>
      <form onSubmit={form.onSubmit(submit)} aria-label={tests.gate}>
        <Stack gap="sm">
          <Text maw="70ch">{tests.gateText}</Text>
          <Group align="end">
            <Choice
              label={tests.testSet}
              disabled={!isOwner}
              data={[{ value: '', label: terms.none }, ...sets.map(({ id, name }) => ({ value: id, label: name }))]}
              {...form.getInputProps('testSetId')}
            />
            <NumberInput
              label={tests.gateShare}
              disabled={!isOwner || form.values.testSetId === ''}
              min={0}
              max={100}
              allowDecimal={false}
              {...form.getInputProps('percent')}
            />
          </Group>
          {isOwner ? <Submit label={actions.save} loading={isSaving} disabled={!form.isDirty()} /> : <Note>{tests.gateOwner}</Note>}
        </Stack>
      </form>
    </Section>
  );
}
