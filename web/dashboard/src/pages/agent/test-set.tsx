import { Breadcrumbs, FileInput, Group, List, NumberInput, Stack, Switch, Text, Title } from '@mantine/core';
import { IconFileImport, IconListCheck, IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { TestTarget } from '../../../.graph/graphql.ts';
import { type RunRow, RunState, TEST_CASES, type TestCaseRow, testsAddress, UPDATE_SET } from '../../agents/agent-tests.tsx';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable, ShortTable } from '../../parts/data-table.tsx';
import { Action, Note, OpenButton, PageLink } from '../../parts/elements.tsx';
import { Choice, FormDialog, NumberField, ticked, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { TestCaseForm } from './test-case-form.tsx';

const TEST_SET = graphql(`query TestSet($id: ID!) { testSet(id: $id) { id name nightly caseCount revision } }`);
const RUNS = graphql(`
  query TestRuns($agentId: ID!, $testSetId: ID!) {
    testRuns(agentId: $agentId, testSetId: $testSetId, limit: 10) { nodes { ...RunSummary } }
  }
`);
const DELETE_SET = graphql(`mutation DeleteTestSet($id: ID!) { deleteTestSet(id: $id) { id } }`);

/** The id of the case that is edited, or `new`. */
const DEFAULTS = { case: '' };

/** A test set: its cases, and its last runs. */
export function TestSetView({ agent, id }: TabProps & { id: string }) {
  const { tests } = useStrings();
  const query = useQuery({ query: TEST_SET, variables: { id } });
  const [opened, setOpened] = useState<'import' | 'run'>();
  const [{ case: edited }, change] = useUrlState(DEFAULTS);
  const rows = usePages(TEST_CASES, { testSetId: id }, ({ testCases }) => testCases);
  const close = () => setOpened(undefined);
  const open = (caseId: string) => change({ case: caseId });
  const columns = useColumns(open);
  const loaded = Array.from({ length: rows.count ?? 0 }, (_, at) => rows.at(at));
  const found = loaded.find((each) => each?.id === edited);
  const add = <Action label={tests.newCase} icon={IconPlus} variant="default" onClick={() => open('new')} />;
  return (
    <Loaded query={query}>
      {({ testSet }) => (
        <Stack flex={1}>
          <Breadcrumbs>
            <PageLink to={testsAddress(agent.id)} label={tests.sets} />
          </Breadcrumbs>
          <Group justify="space-between">
            <Title order={2} size="h4">
              {testSet.name}
            </Title>
            <Group gap="xs">
              <Nightly set={testSet} />
              {add}
              <Action label={tests.import} icon={IconFileImport} variant="default" onClick={() => setOpened('import')} />
              <Action label={tests.run} icon={IconPlayerPlay} disabled={testSet.caseCount === 0} onClick={() => setOpened('run')} />
              <More agentId={agent.id} set={testSet} />
            </Group>
          </Group>
          <DataTable
            minHeight={320}
            label={tests.cases}
            columns={columns}
            rows={rows}
            empty={{ icon: IconListCheck, title: tests.noCases, text: tests.noCasesText, action: add }}
          />
          <Runs agentId={agent.id} testSetId={id} />
          {opened === 'import' && <TestImport testSetId={id} onClose={close} />}
          {opened === 'run' && <StartRun agentId={agent.id} testSetId={id} hasDraft={agent.draftId != null} onClose={close} />}
          {(found || edited === 'new') && (
            <TestCaseForm key={edited} testSetId={id} stored={found ?? null} onClose={() => open('')} />
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function useColumns(open: (id: string) => void): Column<TestCaseRow>[] {
  const { tests, terms } = useStrings();
  return [
    {
      key: 'name',
      title: terms.name,
      cell: ({ id, name }) => <OpenButton label={name} onClick={() => open(id)} />,
    },
    {
      key: 'checks',
      title: tests.checks,
      from: 'sm',
      cell: ({ checks }) => checks.map(({ kind, ...check }) => labelOf(tests.kinds[kind], check)).join('; '),
    },
    { key: 'origin', title: tests.origin, from: 'md', width: 190, cell: ({ origin }) => tests.origins[origin] },
  ];
}

interface CheckFields {
  text?: string | null;
  number?: number | null;
  unit?: string | null;
  tool?: string | null;
}

/** A check in words, such as "States 24 months". */
export const labelOf = (kind: string, { text, number, unit, tool }: CheckFields): string =>
  [kind, tool, number, unit, text?.replaceAll('\n', ' / ')].filter((each) => each != null && each !== '').join(' ');

function Nightly({ set: { id, nightly } }: { set: { id: string; nightly: boolean } }) {
  const { tests } = useStrings();
  const [, update] = useMutation(UPDATE_SET);
  return (
    <Switch {...ticked(nightly, (nightly) => update({ id, input: { nightly } }))} label={tests.nightly} title={tests.nightlyHelp} />
  );
}

function More({ agentId, set: { id, name } }: { agentId: string; set: { id: string; name: string } }) {
  const { tests, actions } = useStrings();
  const { leaveTo } = useGo();
  const [remove] = useAction(DELETE_SET, {
    ask: { title: actions.deleteTitle(name), text: tests.deleteSetText, action: actions.delete },
    // The page of the test set would read it again.
    context: { keep: true },
    after: () => leaveTo(testsAddress(agentId)),
  });
  return (
    <MoreMenu label={actions.more}>
      <MenuAction label={actions.delete} color="red" onClick={() => remove({ id })} />
    </MoreMenu>
  );
}

function Runs({ agentId, testSetId }: { agentId: string; testSetId: string }) {
  const { tests, terms, formats } = useStrings();
  const query = useQuery({ query: RUNS, variables: { agentId, testSetId } });
  const columns: Column<RunRow>[] = [
    {
      key: 'started',
      title: tests.started,
      cell: ({ id, createdAt }) => <PageLink to={testsAddress(agentId, { run: id })} label={formats.time(createdAt)} />,
    },
    { key: 'status', title: terms.status, cell: (run) => <RunState run={run} /> },
    { key: 'target', title: tests.target, from: 'sm', cell: ({ target }) => tests.targets[target] },
    {
      key: 'cost',
      title: tests.kinds.credits,
      align: 'right',
      from: 'md',
      cell: ({ credits }) => tests.credits(credits, formats.credits(credits)),
    },
  ];
  return (
    <Section title={tests.runs}>
      <Loaded query={query}>
        {({ testRuns: { nodes } }) =>
          nodes.length === 0 ? <Note>{tests.noRuns}</Note> : <ShortTable label={tests.runs} rows={nodes} columns={columns} />
        }
      </Loaded>
    </Section>
  );
}

const IMPORT = graphql(`
  mutation ImportTestCases($testSetId: ID!, $format: TestFileFormat!, $text: String!) {
    importTestCases(testSetId: $testSetId, format: $format, text: $text) { added refused { row reason } }
  }
`);

/** Adds the cases of a file, and shows the rows that were refused. */
function TestImport({ testSetId, onClose }: { testSetId: string; onClose(): void }) {
  const { tests } = useStrings();
  const [file, setFile] = useState<File | null>(null);
  const [refused, setRefused] = useState<readonly { row: number; reason: string }[]>([]);
  const [, read] = useMutation(IMPORT);
  async function submit() {
    if (!file) return;
    const format = file.name.toLowerCase().endsWith('.json') ? 'json' : 'csv';
    const { data } = await read({ testSetId, format, text: await file.text() });
    if (!data) return;
    const { added, refused: rows } = data.importTestCases;
    showDone(tests.added(added));
    if (rows.length === 0) return onClose();
    setFile(null);
    setRefused(rows);
  }
  return (
    <FormDialog onClose={onClose} title={tests.importTitle} onSubmit={submit} submit={tests.import} disabled={!file}>
      <Text>{tests.importText}</Text>
      <FileInput label={tests.file} accept=".csv,.json,text/csv,application/json" value={file} onChange={setFile} clearable />
      {refused.length > 0 && (
        <div role="alert">
          <Text fw={600}>{tests.refused}</Text>
          <List size="sm">
            {refused.map(({ row, reason }) => (
              <List.Item key={row}>{tests.refusedRow(row, reason)}</List.Item>
            ))}
          </List>
        </div>
      )}
    </FormDialog>
  );
}

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
function StartRun({ agentId, testSetId, hasDraft, onClose }: Props) {
  const { tests, actions } = useStrings();
  const { leaveTo } = useGo();
  const [start] = useAction(START, { after: (data) => leaveTo(testsAddress(agentId, { run: data.startTestRun.id })) });
  const form = useClosingForm<{ target: TestTarget; repeats: number; creditLimit: number | null }>({
    initialValues: { target: hasDraft ? 'draft' : 'published', repeats: 3, creditLimit: null },
  });
  const submit = ({ repeats, ...input }: typeof form.values) =>
    start({ testSetId, input: { ...input, repeats: Number(repeats) || 1 } });
  const targets: TestTarget[] = hasDraft ? ['draft', 'published'] : ['published'];
  return (
    <FormDialog onClose={onClose} title={tests.runTitle} form={form} onSubmit={submit} submit={actions.start}>
      <Text>{tests.runCost}</Text>
      <Choice {...form.field('target', tests.target)} data={targets.map((value) => ({ value, label: tests.targets[value] }))} />
      <NumberInput {...form.field('repeats', tests.repeats)} min={1} max={10} allowDecimal={false} />
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
