import { Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { CatalogCompletenessQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { useJobsChanged, useOverview } from '../../layout/overview.tsx';
import { Note, PageLink } from '../../parts/elements.tsx';
import { DeferredPart, isComing, Loaded, Section } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

// The counts have no key, so only the root can defer them; the cache waits for a field only within a deferred fragment of its own object.
const COMPLETENESS = graphql(`
  query CatalogCompleteness($days: Int!) {
    catalogStats { completenessDays(days: $days) { day percent } }
    ... @defer { catalogStats { ... @defer { completeness { products complete percent requiredPercent } } } }
  }
`);

/** How many of the expected values exist, and the course of the last two weeks. */
export function Completeness() {
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
export function Credits() {
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
