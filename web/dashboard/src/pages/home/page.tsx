import { Badge, Box, Grid, Group, NavLink, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
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
import type { CatalogCompletenessQuery, RunningJobsQuery } from '../../../.graph/graphql.ts';
import { isExcluded } from '../../graph/graph-client.ts';
import { graphql, useLive, useQuery } from '../../graph/graph-hooks.ts';
import { isOpen, JobBar, JobStatusBadge, jobPath, useJobTitle } from '../../jobs/job-state.tsx';
import { useJobsChanged, useOverview } from '../../layout/overview.tsx';
import { LinkAction, Note, PageLink } from '../../parts/elements.tsx';
import { DeferredPart, Empty, isComing, Loaded, Outdated, PageTitle, Section } from '../../parts/page-frame.tsx';
import { useAddress, useOrganization } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';

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

// The counts have no key, so only the root can defer them; the cache waits for a field only within a deferred fragment of its own object.
const COMPLETENESS = graphql(`
  query CatalogCompleteness($days: Int!) {
    catalogStats { completenessDays(days: $days) { day percent } }
    ... @defer { catalogStats { ... @defer { completeness { products complete percent requiredPercent } } } }
  }
`);

/** How many of the expected values exist, and the course of the last two weeks. */
function Completeness() {
  const { home, formats } = useStrings();
  const query = useQuery({ query: COMPLETENESS, variables: { days: DAYS } });
  const [, refetch] = query;
  useJobsChanged(() => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded query={query}>
      {({ catalogStats: { completeness, completenessDays } }) => {
        const days = lastDays().map((day) => ({ day, percent: completenessDays.find((each) => each.day === day)?.percent ?? 0 }));
        // Without expected values there is nothing to show, and nothing to wait for.
        const isKept = completenessDays.some(({ percent }) => percent != null) || !isComing(query[0]);
        if (completeness ? completeness.percent == null : !isKept) return null;
        return (
          <Section title={home.completeness}>
            <Stack gap="sm">
              <DeferredPart query={query} value={completeness} height={FIGURES_HEIGHT}>
                {(figures) => <Filled {...figures} />}
              </DeferredPart>
              {completenessDays.length > 1 && (
                <Course
                  label={home.course(DAYS)}
                  days={days.map(({ day, percent }) => ({ day, height: percent, text: formats.percent(percent / 100) }))}
                />
              )}
            </Stack>
          </Section>
        );
      }}
    </Loaded>
  );
}

/** Pixels of the figures of the completeness. */
const FIGURES_HEIGHT = 113;

type Figures = NonNullable<CatalogCompletenessQuery['catalogStats']['completeness']>;

/** The share of the expected values that exist now, and how many products have all of them. */
function Filled({ products, complete, percent, requiredPercent }: Figures) {
  const { home, formats } = useStrings();
  return (
    <Stack gap="sm" mih={FIGURES_HEIGHT}>
      <Group gap="xl">
        <Figure label={home.filled} value={formats.percent((percent ?? 0) / 100)} />
        {requiredPercent != null && <Figure label={home.requiredFilled} value={formats.percent(requiredPercent / 100)} />}
      </Group>
      <Group gap="xs">
        <Text>{home.completeProducts(formats.number(complete), formats.number(products))}</Text>
        {complete < products && <PageLink to="products?incomplete=100" label={home.showIncomplete} size="sm" />}
      </Group>
    </Stack>
  );
}

const USAGE = graphql(`
  query SpentByDay($since: DateTime!) {
    organization { id credits }
    creditUsage(by: day, since: $since) { total rows { day credits } }
  }
`);
const DAYS = 14;
const DAY_MS = 86_400_000;

/** The balance, and the credits spent on each of the last two weeks. */
function Credits() {
  const { home, terms, formats } = useStrings();
  const overview = useOverview();
  const [since] = useState(() => dayBefore(DAYS - 1));
  const query = useQuery({ query: USAGE, variables: { since: `${since}T00:00:00.000Z` } });
  return (
    <Section title={terms.credits}>
      <Loaded query={query}>
        {({ organization, creditUsage }) => (
          <Stack gap="sm">
            <Group gap="xl">
              <Figure label={home.balance} value={formats.credits(overview?.credits ?? organization.credits)} />
              <Figure label={home.spent(DAYS)} value={formats.credits(creditUsage.total)} />
            </Group>
            <Days rows={creditUsage.rows} />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

const Figure = ({ label, value }: { label: string; value: string }) => (
  <div>
    <Note size="xs">{label}</Note>
    <Text size="xl" fw={650}>
      {value}
    </Text>
  </div>
);

/** The last days, oldest first. */
const lastDays = () => Array.from({ length: DAYS }, (_, at) => dayBefore(DAYS - 1 - at));

function Days({ rows }: { rows: { day?: string | null; credits: number }[] }) {
  const { home, formats } = useStrings();
  const days = lastDays().map((day) => ({ day, credits: rows.find((row) => row.day === day)?.credits ?? 0 }));
  const highest = Math.max(...days.map(({ credits }) => credits), 1);
  return (
    <Course
      label={home.spent(DAYS)}
      days={days.map(({ day, credits }) => ({ day, height: (credits / highest) * 100, text: formats.credits(credits) }))}
    />
  );
}

/** A bar for each day, 0 to 100 high. */
function Course({ label, days }: { label: string; days: { day: string; height: number; text: string }[] }) {
  const { formats } = useStrings();
  return (
    <>
      <Group gap={4} wrap="nowrap" aria-hidden>
        {days.map(({ day, height, text }) => (
          <Progress
            key={day}
            flex={1}
            orientation="vertical"
            h={72}
            radius="sm"
            value={height}
            bg="transparent"
            title={`${formats.day(day)}: ${text}`}
          />
        ))}
      </Group>
      <Group justify="space-between" aria-hidden>
        <Note size="xs">{formats.day(days[0]!.day)}</Note>
        <Note size="xs">{formats.day(days.at(-1)!.day)}</Note>
      </Group>
      <VisuallyHidden>
        <ul aria-label={label}>
          {days.map(({ day, text }) => (
            <li key={day}>{`${formats.day(day)}: ${text}`}</li>
          ))}
        </ul>
      </VisuallyHidden>
    </>
  );
}
