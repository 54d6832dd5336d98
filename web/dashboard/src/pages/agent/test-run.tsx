import { Alert, Breadcrumbs, Group, Progress, Stack, Title } from '@mantine/core';
import { IconDownload, IconListCheck, IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import type { TestOutcome, TestRunCasesQuery } from '../../../.graph/graphql.ts';
import { isRunning, Outcome, type RunRow, RunState, TEST_RUN, testsAddress } from '../../agents/agent-tests.tsx';
import { graphql, useButton, useLive, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, Note, OpenButton, PageLink, Tag } from '../../parts/elements.tsx';
import { Choice } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import { TestRunCase } from './test-run-case.tsx';

const PROGRESS = graphql(`
  subscription TestRunProgress($id: ID!, $after: Int) {
    testRunProgress(id: $id, after: $after) { runId sequence status finished total credits error }
  }
`);
const STOP = graphql(`mutation StopTestRun($id: ID!) { stopTestRun(id: $id) { ...RunSummary } }`);
const REPORT = graphql(`query TestRunReport($id: ID!) { testRunReport(id: $id, format: junit) }`);
const CASES = graphql(`
  query TestRunCases($id: ID!, $outcome: TestOutcome, $regressed: Boolean!, $page: Int!, $limit: Int!) {
    testRun(id: $id) {
      id
      cases(outcome: $outcome, regressed: $regressed, page: $page, limit: $limit) {
        nodes { id position name draft published regressed }
        pagination { total }
      }
    }
  }
`);
type CaseRow = TestRunCasesQuery['testRun']['cases']['nodes'][number];

const OUTCOMES: readonly TestOutcome[] = ['always', 'sometimes', 'never'];
/** The cases that are shown, and the id of the opened one. */
const DEFAULTS = { show: 'all', case: '' };
const CHOICES = { show: ['all', 'regressed', ...OUTCOMES] };

/** A run: its progress while it runs, and then the outcome of each case with the draft and with the published version. */
export function TestRunView({ agentId, id }: { agentId: string; id: string }) {
  const query = useQuery({ query: TEST_RUN, variables: { id } });
  const [, read] = query;
  return (
    <Loaded query={query}>
      {({ testRun }) => <Run agentId={agentId} run={testRun} onEnd={() => read({ requestPolicy: 'network-only' })} />}
    </Loaded>
  );
}

function Run({ agentId, run, onEnd }: { agentId: string; run: RunRow; onEnd(): void }) {
  const { tests, actions } = useStrings();
  const [followed] = useState(isRunning(run) ? { id: run.id, after: run.sequence } : null);
  const [latest, setLatest] = useState<Pick<RunRow, 'status' | 'finished' | 'total' | 'credits'> & { sequence: number }>(run);
  useLive(PROGRESS, followed, ({ testRunProgress }) => {
    setLatest(testRunProgress);
    if (!isRunning(testRunProgress)) onEnd();
  });
  const shown = { ...run, ...(latest.sequence > run.sequence && { ...latest, share: run.share }) };
  const [{ show, case: opened }, change, bind] = useUrlState(DEFAULTS, CHOICES);
  const variables = { id: run.id, outcome: OUTCOMES.find((each) => each === show) ?? null, regressed: show === 'regressed' };
  const rows = usePages(CASES, variables, ({ testRun }) => testRun.cases);
  return (
    <Stack flex={1}>
      <Breadcrumbs>
        <PageLink to={testsAddress(agentId)} label={tests.sets} />
        <PageLink to={testsAddress(agentId, { set: run.testSetId })} label={run.testSetName} />
      </Breadcrumbs>
      <Header run={shown} />
      {run.error && (
        <Alert color="red" role="status">
          {run.error}
        </Alert>
      )}
      <Tallies run={run} />
      <Choice {...bind('show')} aria-label={actions.show} w={220} labels={tests.filters} />
      <DataTable
        label={tests.cases}
        columns={useColumns(run, (caseId) => change({ case: caseId }))}
        rows={rows}
        empty={{ icon: IconListCheck, title: tests.noMatch }}
      />
      {opened && <TestRunCase id={opened} run={run} onClose={() => change({ case: '' })} />}
    </Stack>
  );
}

function Header({ run }: { run: RunRow }) {
  const { tests, actions, formats } = useStrings();
  const client = useClient();
  const stop = useButton(STOP, { ask: { title: tests.stopTitle, text: tests.stopText, action: actions.stop } });
  const isOpen = isRunning(run);
  async function download() {
    const { data } = await client.query(REPORT, { id: run.id }, { requestPolicy: 'network-only' }).toPromise();
    if (data) saveFile(`tests-${run.createdAt.slice(0, 10)}.xml`, [data.testRunReport], 'application/xml');
  }
  return (
    <div>
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2} size="h4">
            {tests.runOf(run.testSetName)}
          </Title>
          <RunState run={run} />
        </Group>
        {isOpen ? (
          <Action label={actions.stop} icon={IconPlayerStop} variant="default" {...stop({ id: run.id })} />
        ) : (
          <Action label={tests.download} icon={IconDownload} variant="default" onClick={download} />
        )}
      </Group>
      <Note size="xs">
        {[
          formats.time(run.createdAt),
          run.authorName ? tests.startedBy(run.authorName) : tests.bySchedule,
          tests.targets[run.target],
          tests.credits(run.credits, formats.credits(run.credits)),
        ].join(' · ')}
      </Note>
      {isOpen && (
        <>
          <Progress mt="xs" value={run.total > 0 ? (run.finished / run.total) * 100 : 0} aria-label={tests.statuses.processing} />
          <Note size="xs" role="status">
            {tests.progress(formats.number(run.finished), formats.number(run.total))}
          </Note>
        </>
      )}
    </div>
  );
}

/** How many cases passed always, sometimes and never. */
function Tallies({ run: { draft, published } }: { run: RunRow }) {
  const { tests, terms, formats } = useStrings();
  const lines = [
    { label: terms.draft, tally: draft },
    { label: tests.published, tally: published },
  ];
  return lines.map(
    ({ label, tally }) =>
      tally && (
        <Note key={label}>
          {label}: {tests.tally(formats.number(tally.always), formats.number(tally.sometimes), formats.number(tally.never))}
        </Note>
      ),
  );
}

function useColumns({ target }: RunRow, open: (id: string) => void): Column<CaseRow>[] {
  const { tests, terms } = useStrings();
  return [
    {
      key: 'name',
      title: tests.case,
      cell: ({ id, name }) => <OpenButton label={name} onClick={() => open(id)} />,
    },
    ...(target === 'draft'
      ? [{ key: 'draft', title: terms.draft, width: 150, cell: ({ draft }: CaseRow) => <Outcome outcome={draft} /> }]
      : []),
    { key: 'published', title: tests.published, width: 150, from: 'xs', cell: ({ published }) => <Outcome outcome={published} /> },
    ...(target === 'draft'
      ? [
          {
            key: 'regressed',
            title: tests.regressed,
            width: 130,
            from: 'sm' as const,
            cell: ({ regressed }: CaseRow) => regressed && <Tag label={tests.regressed} color="red" />,
          },
        ]
      : []),
  ];
}
