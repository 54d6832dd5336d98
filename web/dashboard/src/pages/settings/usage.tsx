import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { SegmentedControl, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const USAGE = graphql(`
  query CreditUsage($since: DateTime!) {
    days: creditUsage(by: day, since: $since) { total rows { day credits } }
    kinds: creditUsage(by: kind, since: $since) { rows { kind credits } }
  }
`);
const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Whether a word of the server is one that the dashboard translates. */
export const isKey = <Words extends object>(words: Words, word?: string | null): word is string & keyof Words =>
  word != null && Object.hasOwn(words, word);

/** The credits used on each day of a period, and by kind. */
export function Usage() {
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
  const { credits, jobs } = useStrings();
  const kindOf = (kind?: string | null) =>
    isKey(jobs.kinds, kind) ? jobs.kinds[kind] : isKey(credits.kinds, kind) ? credits.kinds[kind] : kind;
  const formats = useFormats();
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
            <Text size="sm">{credits.used(days.total, formats.credits(days.total))}</Text>
            {days.total !== 0 && (
              <div aria-hidden>
                <BarChart
                  h={160}
                  data={data}
                  dataKey="day"
                  series={[{ name: 'credits', label: credits.amount, color: 'indigo.6' }]}
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
              <Text key={kind} size="sm">
                {kindOf(kind)}: {formats.credits(amount)}
              </Text>
            ))}
          </Stack>
        );
      }}
    </Loaded>
  );
}
