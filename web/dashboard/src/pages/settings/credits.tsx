import { Group, SegmentedControl, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import type { CreditLedgerQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { useOverview } from '../../layout/overview.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { useState } from 'react';
import { PageLink } from '../../parts/elements.tsx';

const BALANCE = graphql(`query Balance { organization { id credits plan modules } }`);
const LEDGER = graphql(`
  query CreditLedger($page: Int!, $limit: Int!) {
    organization {
      id
      creditEntries(page: $page, limit: $limit) { nodes { id amount reason createdAt job { id kind } } pagination { total } }
    }
  }
`);
type Entry = CreditLedgerQuery['organization']['creditEntries']['nodes'][number];

/** The balance, the use by day and by kind, and every charge. */
export function Part() {
  const { credits } = useStrings();
  const columns = useColumns();
  const rows = usePages(LEDGER, {}, ({ organization }) => organization.creditEntries);
  return (
    <Stack flex={1}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Balance />
        <Usage />
      </SimpleGrid>
      <Text size="md" component="h2" fw={650}>
        {credits.ledger}
      </Text>
      <DataTable
        minHeight={320}
        label={credits.ledger}
        columns={columns}
        rows={rows}
        empty={{ icon: IconCoins, title: credits.empty, text: credits.emptyText }}
      />
    </Stack>
  );
}

function Balance() {
  const { credits, settings, formats } = useStrings();
  const overview = useOverview();
  const query = useQuery({ query: BALANCE });
  return (
    <Section title={credits.balance}>
      <Loaded query={query}>
        {({ organization: { credits: balance, plan, modules } }) => (
          <Stack gap="xs">
            <Text fz={32} fw={650} lh={1.2}>
              {formats.credits(overview?.credits ?? balance)}
            </Text>
            <Group gap="xs">
              <Text>
                {settings.plan}: {settings.plans[plan]}
              </Text>
              {modules.length > 0 && (
                <Text>
                  {settings.modules}: {modules.map((module) => settings.moduleNames[module]).join(', ')}
                </Text>
              )}
            </Group>
            <Text>{settings.planText}</Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function useColumns(): Column<Entry>[] {
  const { credits, jobs, terms, formats } = useStrings();
  const reasonOf = (reason: string) => {
    const kind = reason.replace(/ item$/, '');
    if (isKey(credits.reasons, reason)) return credits.reasons[reason];
    return isKey(jobs.kinds, kind) ? jobs.kinds[kind] : reason;
  };
  return [
    { key: 'time', title: terms.time, width: 170, cell: ({ createdAt }) => formats.time(createdAt) },
    {
      key: 'amount',
      title: terms.credits,
      width: 90,
      align: 'right',
      cell: ({ amount }) => (
        <Text component="span" fw={amount > 0 ? 600 : 400}>
          {formats.credits(amount)}
        </Text>
      ),
    },
    {
      key: 'reason',
      title: terms.reason,
      cell: ({ reason, job }) => {
        const text = reasonOf(reason);
        return job ? <PageLink to={`jobs/${job.id}`} label={text} /> : text;
      },
    },
  ];
}

const USAGE = graphql(`
  query CreditUsage($since: DateTime!) {
    days: creditUsage(by: day, since: $since) { total rows { day credits } }
    kinds: creditUsage(by: kind, since: $since) { rows { kind credits } }
  }
`);
const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Whether a word of the server is one that the dashboard translates. */
const isKey = <Words extends object>(words: Words, word?: string | null): word is string & keyof Words =>
  word != null && Object.hasOwn(words, word);

/** The credits used on each day of a period, and by kind. */
function Usage() {
  const { credits } = useStrings();
  const [length, setLength] = useState(30);
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label={credits.period}
      value={String(length)}
      onChange={(value) => setLength(Number(value))}
      data={['30', '90'].map((value) => ({ value, label: credits.days(Number(value)) }))}
    />
  );
  return (
    <Section title={credits.usage} actions={choice}>
      <Days key={length} length={length} />
    </Section>
  );
}

function Days({ length }: { length: number }) {
  const { credits, jobs, terms, formats } = useStrings();
  const kindOf = (kind?: string | null) =>
    isKey(jobs.kinds, kind) ? jobs.kinds[kind] : isKey(credits.kinds, kind) ? credits.kinds[kind] : kind;
  const query = useQuery({ query: USAGE, variables: { since: `${dayBefore(length - 1)}T00:00:00.000Z` } });
  return (
    <Loaded query={query}>
      {({ days, kinds }) => {
        const used = new Map(days.rows.map(({ day, credits: amount }) => [day, amount]));
        const data = Array.from({ length }, (_, at) => {
          const day = dayBefore(length - 1 - at);
          return { day: formats.day(day), credits: used.get(day) ?? 0 };
        });
        return (
          <Stack gap="xs">
            <Text>{credits.used(days.total, formats.credits(days.total))}</Text>
            {days.total !== 0 && (
              <div aria-hidden>
                <BarChart
                  h={160}
                  data={data}
                  dataKey="day"
                  series={[{ name: 'credits', label: terms.credits, color: 'indigo.6' }]}
                  valueFormatter={formats.credits}
                  gridAxis="none"
                  yAxisProps={{ tickCount: 3, allowDecimals: false }}
                  xAxisProps={{ interval: 'equidistantPreserveStart', minTickGap: 16 }}
                  barProps={{ isAnimationActive: false }}
                  barChartProps={{ accessibilityLayer: false }}
                />
              </div>
            )}
            <VisuallyHidden>
              <ul aria-label={credits.usage}>
                {data.map((each) => (
                  <li key={each.day}>{`${each.day}: ${formats.credits(each.credits)}`}</li>
                ))}
              </ul>
            </VisuallyHidden>
            {kinds.rows.map(({ kind, credits: amount }) => (
              <Text key={kind}>
                {kindOf(kind)}: {formats.credits(amount)}
              </Text>
            ))}
          </Stack>
        );
      }}
    </Loaded>
  );
}
