import { Badge, NavLink, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconHelpCircle,
  IconListCheck,
  IconMessageCircle,
  IconPlayerPause,
  IconPlugConnectedX,
  type TablerIcon,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { isExcluded } from '../../graph/client.ts';
import { graphql } from '../../graph/graphql.ts';
import { useLive } from '../../graph/live.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useJobsChanged } from '../../jobs/use-jobs-changed.ts';
import { useOverview } from '../../layout/overview.tsx';
import { Section } from '../../parts/section.tsx';
import { Outdated } from '../../parts/states.tsx';
import { useAddress, useOrganization } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

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
const EVENTS = graphql(`query EventDecisions { eventSubscriptions { subscriptions { id status } } }`);

const WEEK_MS = 7 * 86_400_000;

/** Decisions that wait for a person. Parts that the plan or the role excludes are left out. */
export function Decisions() {
  const { home } = useStrings();
  const { isAdmin } = useOrganization();
  const overview = useOverview();
  const [since] = useState(() => new Date(Date.now() - WEEK_MS).toISOString());
  const queries = [
    useQuery({ query: CATALOG, variables: { since } }),
    useQuery({ query: AGENTS }),
    useQuery({ query: WEBHOOKS, pause: !isAdmin }),
    useQuery({ query: EVENTS, pause: !isAdmin }),
  ] as const;
  const [[{ data: catalog }, refetchCatalog], [{ data: agents }, refetchAgents], [{ data: jobWebhooks }], [{ data: events }]] =
    queries;
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
  ];
  const open = entries.filter(([count]) => count > 0);
  return (
    <Section title={home.decisions}>
      {failed[0] && <Outdated error={failed[0][0].error!} retry={retry} />}
      {open.length === 0 && isKnown && <Text size="sm">{home.nothingToDecide}</Text>}
      {open.map(([count, label, path, icon]) => (
        <Decision key={path} count={count} label={label} path={path} icon={icon} />
      ))}
    </Section>
  );
}

function Decision({ count, label, path, icon: Icon }: { count: number; label: string; path: string; icon: TablerIcon }) {
  const formats = useFormats();
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
