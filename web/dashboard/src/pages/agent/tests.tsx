import { Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTestPipe } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { CREATE_SET, RunState, TEST_SETS, type TestSetRow, testsAddress, UPDATE_SET } from '../../agents/agent-tests.tsx';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { type Column, ShortTable } from '../../parts/data-table.tsx';
import { Action, Note, PageLink, Submit } from '../../parts/elements.tsx';
import { Choice, FormDialog, ticked, useClosingForm, useForm } from '../../parts/forms-and-dialogs.tsx';
import { Empty, Loaded, Section } from '../../parts/page-frame.tsx';
import { useFieldRefusal } from '../../parts/refusals.ts';
import { useUrlState } from '../../parts/url-state.ts';
import { useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { TestRunView } from './test-run.tsx';
import { TestSetView } from './test-set.tsx';

/** The ids of the test set and of the run that the tab shows. */
const DEFAULTS = { set: '', run: '' };

/** The test sets of the agent, one of them, or one of its runs. */
export function Tab({ agent }: TabProps) {
  const [{ set, run }] = useUrlState(DEFAULTS);
  if (run) return <TestRunView key={run} agentId={agent.id} id={run} />;
  if (set) return <TestSetView key={set} agent={agent} id={set} />;
  return <TestSets agentId={agent.id} />;
}

function TestSets({ agentId }: { agentId: string }) {
  const { tests } = useStrings();
  const query = useQuery({ query: TEST_SETS, variables: { agentId } });
  const [isAdding, setAdding] = useState(false);
  const columns = useColumns();
  const add = <Action label={tests.newSet} icon={IconPlus} onClick={() => setAdding(true)} />;
  return (
    <Stack>
      <Text maw="70ch">{tests.text}</Text>
      <Loaded query={query}>
        {({ agent, testSets }) =>
          testSets.length === 0 ? (
            <Empty icon={IconTestPipe} title={tests.none} text={tests.noneText} action={add} />
          ) : (
            <>
              <Section title={tests.sets} actions={add}>
                <ShortTable label={tests.sets} rows={testSets} columns={columns} />
              </Section>
              <PublishGate agentId={agentId} requirement={agent.publishRequires ?? null} sets={testSets} />
            </>
          )
        }
      </Loaded>
      {isAdding && <NewSet agentId={agentId} onClose={() => setAdding(false)} />}
    </Stack>
  );
}

function useColumns(): Column<TestSetRow>[] {
  const { tests, terms, formats } = useStrings();
  const [, update] = useMutation(UPDATE_SET);
  return [
    {
      key: 'name',
      title: terms.name,
      cell: ({ id, agentId, name }) => <PageLink to={testsAddress(agentId, { set: id })} label={name} />,
    },
    { key: 'cases', title: tests.cases, align: 'right', from: 'xs', cell: ({ caseCount }) => formats.number(caseCount) },
    {
      key: 'last',
      title: tests.lastRun,
      cell: ({ lastRun, agentId }) =>
        lastRun ? (
          <Group gap="xs">
            <PageLink to={testsAddress(agentId, { run: lastRun.id })} label={formats.ago(lastRun.createdAt)} />
            <RunState run={lastRun} />
          </Group>
        ) : (
          <Note>{tests.never}</Note>
        ),
    },
    {
      key: 'nightly',
      title: tests.nightly,
      from: 'sm',
      cell: ({ id, name, nightly }) => (
        <Switch {...ticked(nightly, (nightly) => update({ id, input: { nightly } }))} aria-label={`${tests.nightly}: ${name}`} />
      ),
    },
  ];
}

function NewSet({ agentId, onClose }: { agentId: string; onClose(): void }) {
  const { tests, terms } = useStrings();
  const { leaveTo } = useGo();
  const refuse = useFieldRefusal();
  const [create] = useAction(CREATE_SET, {
    after: (data) => leaveTo(testsAddress(agentId, { set: data.createTestSet.id })),
    failed: (error) => refuse(form, 'name', error),
  });
  const form = useClosingForm({ initialValues: { name: '' }, required: ['name'] });
  const submit = ({ name }: typeof form.values) => create({ agentId, input: { name: name.trim(), nightly: false } });
  return (
    <FormDialog guarded onClose={onClose} title={tests.newSet} form={form} onSubmit={submit} submit={tests.newSet}>
      <TextInput {...form.field('name', terms.name)} maxLength={255} data-autofocus />
    </FormDialog>
  );
}

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
function PublishGate({ agentId, requirement, sets }: Props) {
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
              {...form.field('testSetId', tests.testSet)}
              disabled={!isOwner}
              data={[{ value: '', label: terms.none }, ...sets.map(({ id, name }) => ({ value: id, label: name }))]}
            />
            <NumberInput
              {...form.field('percent', tests.gateShare)}
              disabled={!isOwner || form.values.testSetId === ''}
              min={0}
              max={100}
              allowDecimal={false}
            />
          </Group>
          {isOwner ? <Submit label={actions.save} loading={isSaving} disabled={!form.isDirty()} /> : <Note>{tests.gateOwner}</Note>}
        </Stack>
      </form>
    </Section>
  );
}
