import { Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useOverview } from '../../layout/overview.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

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
  const { home } = useStrings();
  const formats = useFormats();
  const overview = useOverview();
  const [since] = useState(() => dayBefore(DAYS - 1));
  const query = useQuery({ query: USAGE, variables: { since: `${since}T00:00:00.000Z` } });
  return (
    <Section title={home.credits}>
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
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text size="xl" fw={650}>
      {value}
    </Text>
  </div>
);

function Days({ rows }: { rows: { day?: string | null; credits: number }[] }) {
  const { home } = useStrings();
  const formats = useFormats();
  const days = Array.from({ length: DAYS }, (_, at) => {
    const day = dayBefore(DAYS - 1 - at);
    return { day, credits: rows.find((row) => row.day === day)?.credits ?? 0 };
  });
  const highest = Math.max(...days.map(({ credits }) => credits), 1);
  return (
    <>
      <Group gap={4} wrap="nowrap" aria-hidden>
        {days.map(({ day, credits }) => (
          <Progress
            key={day}
            flex={1}
            orientation="vertical"
            h={72}
            radius="sm"
            value={(credits / highest) * 100}
            bg="transparent"
            title={`${formats.day(day)}: ${formats.credits(credits)}`}
          />
        ))}
      </Group>
      <Group justify="space-between" aria-hidden>
        <Text size="xs" c="dimmed">
          {formats.day(days[0]!.day)}
        </Text>
        <Text size="xs" c="dimmed">
          {formats.day(days.at(-1)!.day)}
        </Text>
      </Group>
      <VisuallyHidden>
        <ul aria-label={home.spent(DAYS)}>
          {days.map(({ day, credits }) => (
            <li key={day}>{`${formats.day(day)}: ${formats.credits(credits)}`}</li>
          ))}
        </ul>
      </VisuallyHidden>
    </>
  );
}
