import { Badge, Box, Grid, Group, NavLink, Stack, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconHelpCircle,
  IconListCheck,
  IconMessageCircle,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnectedX,
  IconTestPipe,
  type TablerIcon,
} from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { RunningJobsQuery } from '../../../.graph/graphql.ts';
import { isExcluded } from '../../graph/graph-client.ts';
import { graphql, useLive, useQuery } from '../../graph/graph-hooks.ts';
import { isOpen, JobBar, JobStatusBadge, jobPath, useJobTitle } from '../../jobs/job-state.tsx';
import { useJobsChanged, useOverview } from '../../layout/overview.tsx';
import { LinkAction, Note, PageLink } from '../../parts/elements.tsx';
import { Empty, Loaded, Outdated, PageTitle, Section } from '../../parts/page-frame.tsx';
import { useAddress, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Completeness, Credits } from './recent-figures.tsx';

/** Running jobs, decisions that wait for a person, and costs. */
export function Page() {
  const { pages } = useStrings();
  return (
    <>
      <PageTitle title={pages.home} />
      <Start />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <RunningJobs />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            <Decisions />
            <Completeness />
            <Credits />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

const STEPS = graphql(`query FirstSteps { firstSteps { attributes products enrichment review } }`);
const FirstSteps = lazy(() => import('./first-steps.tsx').then(({ FirstSteps: component }) => ({ default: component })));

/** The first steps of an organization, until its catalog has taken all of them. */
function Start() {
  const [{ data }, refetch] = useQuery({ query: STEPS });
  useJobsChanged(() => refetch({ requestPolicy: 'network-only' }));
  if (!data) return null;
  const { attributes, products, enrichment, review } = data.firstSteps;
  if (attributes && products && enrichment && review) return null;
  return (
    <Suspense>
      <Box mb="lg">
        <FirstSteps steps={data.firstSteps} />
      </Box>
    </Suspense>
  );
}

const JOBS = graphql(`
  query RunningJobs {
    open: jobs(status: [pending, processing], limit: 20) { nodes { ...JobSummary totalExtracted uploadedFiles { id name } } }
    latest: jobs(limit: 8) { nodes { ...JobSummary totalExtracted uploadedFiles { id name } } }
  }
`);

/** The open jobs with live progress, and the latest ended ones. */
function RunningJobs() {
  const { home, pages } = useStrings();
  const query = useQuery({ query: JOBS });
  const [, refetch] = query;
  useJobsChanged(() => refetch({ requestPolicy: 'network-only' }));
  const start = <LinkAction label={home.startJob} to="jobs/new" size="xs" icon={IconPlayerPlay} />;
  return (
    <Section title={pages.jobs} actions={start}>
      <Loaded query={query}>
        {({ open, latest }) => {
          const jobs = [...open.nodes, ...latest.nodes.filter((job) => !open.nodes.some(({ id }) => id === job.id))];
          if (jobs.length === 0) return <Empty title={home.noJobs} text={home.noJobsText} />;
          return (
            <Stack gap="md">
              {jobs.map((job) => (
                <JobRow key={job.id} job={job} />
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Section>
  );
}

function JobRow({ job }: { job: RunningJobsQuery['latest']['nodes'][number] }) {
  const { jobs, formats } = useStrings();
  const titleOf = useJobTitle();
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap" mb={4}>
        <PageLink to={jobPath(job)} label={titleOf(job)} fw={500} truncate />
        <Group gap="xs" wrap="nowrap">
          <Note size="xs" visibleFrom="xs">
            {formats.ago(job.completedAt ?? job.startedAt ?? job.createdAt)}
          </Note>
          <JobStatusBadge job={job} />
        </Group>
      </Group>
      {isOpen(job) || job.failedCount > 0 ? (
        <JobBar job={job} />
      ) : (
        <Note size="xs">{job.kind === 'ai-import' ? jobs.found(job.totalExtracted ?? 0) : jobs.items(job.totalCount)}</Note>
      )}
    </div>
  );
}

const CATALOG = graphql(`
  query CatalogDecisions($since: DateTime!) {
    reviewCount
    failed: jobs(status: [completed_with_errors, failed], createdSince: $since, limit: 1) { pagination { total } }
    open: jobs(status: [pending, processing], limit: 100) { nodes { id paused } }
  }
`);
const WEBHOOKS = graphql(`query WebhookDecisions { webhooks { id enabled } }`);
const AGENTS = graphql(`
  query AgentDecisions {
    unansweredQuestions(limit: 1) { pagination { total } }
    handoffs(status: waiting, limit: 1) { pagination { total } }
  }
`);
const HANDOFFS = graphql(`subscription WaitingVisitors { handoffQueue { waiting } }`);
const NIGHTLY = graphql(`query FailedNightlyTests { failedNightlyTestRuns { id agent { id } } }`);
const EVENTS = graphql(`query EventDecisions { eventSubscriptions { subscriptions { id status } } }`);

const WEEK_MS = 7 * 86_400_000;

/** Decisions that wait for a person. Parts that the plan or the role excludes are left out. */
function Decisions() {
  const { home } = useStrings();
  const { isAdmin } = useOrganization();
  const overview = useOverview();
  const [since] = useState(() => new Date(Date.now() - WEEK_MS).toISOString());
  const queries = [
    useQuery({ query: CATALOG, variables: { since } }),
    useQuery({ query: AGENTS }),
    useQuery({ query: WEBHOOKS, pause: !isAdmin }),
    useQuery({ query: EVENTS, pause: !isAdmin }),
    useQuery({ query: NIGHTLY, pause: !isAdmin }),
  ] as const;
  const [
    [{ data: catalog }, refetchCatalog],
    [{ data: agents }, refetchAgents],
    [{ data: jobWebhooks }],
    [{ data: events }],
    [{ data: nightly }],
  ] = queries;
  const nightlyRuns = nightly?.failedNightlyTestRuns ?? [];
  const failed = queries.filter(([{ error }]) => error && !isExcluded(error));
  const isKnown = failed.length === 0 && !queries.some(([{ data, fetching }]) => fetching && !data);
  function retry() {
    for (const [, read] of failed) read({ requestPolicy: 'network-only' });
  }
  useJobsChanged(() => refetchCatalog({ requestPolicy: 'network-only' }));
  useLive(HANDOFFS, {}, () => refetchAgents({ requestPolicy: 'network-only' }));

  const disabled =
    (jobWebhooks?.webhooks.filter(({ enabled }) => !enabled).length ?? 0) +
    (events?.eventSubscriptions.subscriptions.filter(({ status }) => status === 'disabled').length ?? 0);
  const entries: [count: number, label: string, path: string, icon: TablerIcon][] = [
    [agents?.handoffs.pagination.total ?? 0, home.waitingVisitors, 'inbox', IconMessageCircle],
    [overview?.reviewCount ?? catalog?.reviewCount ?? 0, home.values, 'review', IconListCheck],
    [catalog?.open.nodes.filter(({ paused }) => paused).length ?? 0, home.pausedJobs, 'jobs?status=open', IconPlayerPause],
    [catalog?.failed.pagination.total ?? 0, home.failedJobs, 'jobs?status=failed', IconAlertTriangle],
    [agents?.unansweredQuestions.pagination.total ?? 0, home.questions, 'agents', IconHelpCircle],
    [disabled, home.disabledSubscriptions, 'webhooks', IconPlugConnectedX],
    [
      nightlyRuns.length,
      home.failedTests,
      nightlyRuns[0] ? `agents/${nightlyRuns[0].agent.id}/tests?run=${nightlyRuns[0].id}` : '',
      IconTestPipe,
    ],
  ];
  const open = entries.filter(([count]) => count > 0);
  return (
    <Section title={home.decisions}>
      {failed[0] && <Outdated error={failed[0][0].error!} retry={retry} />}
      {open.length === 0 && isKnown && <Text>{home.nothingToDecide}</Text>}
      {open.map(([count, label, path, icon]) => (
        <Decision key={path} count={count} label={label} path={path} icon={icon} />
      ))}
    </Section>
  );
}

function Decision({ count, label, path, icon: Icon }: { count: number; label: string; path: string; icon: TablerIcon }) {
  const { formats } = useStrings();
  const address = useAddress();
  return (
    <NavLink
      component={Link}
      to={address(path)}
      label={label}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      rightSection={<Badge variant="light">{formats.number(count)}</Badge>}
    />
  );
}
