import { Segments } from '../../parts/forms-and-dialogs.tsx';
import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { AgentFiguresQuery } from '../../../.graph/graphql.ts';
import { type Figure, figureAddress } from '../../agents/figure-filter.tsx';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { type Column, ShortTable } from '../../parts/data-table.tsx';
import { Note, PageLink } from '../../parts/elements.tsx';
import { Empty, Loaded, Section } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { Topics } from './topics.tsx';

const FIGURES = graphql(`
  query AgentFigures($agentId: ID!, $days: DayRange) {
    agentFigures(agentId: $agentId, days: $days) {
      from to
      total {
        questions answered unanswered failed handoffs ratedUp ratedDown credits inputTokens outputTokens
        firstTokenMedianMs firstTokenHighMs endMedianMs endHighMs
      }
      days { day questions answered unanswered failed handoffs ratedUp ratedDown credits endMedianMs endHighMs }
      versions { version questions answered unanswered failed handoffs ratedUp ratedDown credits endMedianMs endHighMs }
      sources { sourceId name replies }
    }
  }
`);
type Figures = AgentFiguresQuery['agentFigures'];
type Row = Omit<Figures['days'][number], 'day'> & { id: string; name: string; place: Partial<Figure> };

const DAY = 24 * 60 * 60 * 1_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
const RANGES = ['7', '30', '90'] as const;
const DEFAULTS = { days: '30' };

/** The experience of visitors: sums, then by day, by version, by source and by topic. */
export function Tab({ agent }: TabProps) {
  const { figures } = useStrings();
  const [{ days }, , bind] = useUrlState(DEFAULTS, { days: RANGES });
  const variables = { agentId: agent.id, days: { from: dayBefore(Number(days) - 1), to: dayBefore(0) } };
  const query = useQuery({ query: FIGURES, variables });
  return (
    <Stack>
      <Group justify="space-between" align="start">
        <Text maw="70ch">{figures.text}</Text>
        <Segments {...bind('days')} aria-label={figures.range} labels={figures.ranges} />
      </Group>
      <Loaded query={query}>
        {({ agentFigures: read }) =>
          read.days.length === 0 ? (
            <Empty icon={IconChartBar} title={figures.none} text={figures.noneText} />
          ) : (
            <Report agentId={agent.id} figures={read} />
          )
        }
      </Loaded>
    </Stack>
  );
}

function Report({ agentId, figures: { from, to, total, days, versions, sources } }: { agentId: string; figures: Figures }) {
  const { figures, terms, formats } = useStrings();
  const whole = { agent: agentId, from, to };
  return (
    <>
      <Totals total={total} place={whole} />
      <Section title={figures.byDay}>
        <Days days={days} from={from} to={to} />
        <Sums
          label={figures.byDay}
          title={figures.day}
          rows={days.toReversed().map((each) => ({
            ...each,
            id: each.day,
            name: formats.fullDay(each.day),
            place: { agent: agentId, from: each.day, to: each.day },
          }))}
        />
      </Section>
      <Section title={figures.byVersion}>
        <Sums
          label={figures.byVersion}
          title={terms.version}
          rows={versions.map((each) => ({
            ...each,
            id: String(each.version),
            name: each.version === 0 ? terms.none : String(each.version),
            place: { ...whole, version: String(each.version) },
          }))}
        />
      </Section>
      <Section title={figures.sources}>
        {sources.length === 0 ? (
          <Note>{figures.noSources}</Note>
        ) : (
          <ShortTable
            label={figures.sources}
            rows={sources.map((source) => ({ ...source, id: source.sourceId }))}
            columns={[
              { key: 'source', title: terms.source, cell: ({ name }) => name ?? figures.deleted },
              {
                key: 'replies',
                title: figures.replies,
                align: 'right',
                cell: ({ replies, sourceId, name }) => (
                  <Count count={replies} of={name ?? figures.deleted} place={{ ...whole, source: sourceId }} />
                ),
              },
            ]}
          />
        )}
      </Section>
      <Topics agentId={agentId} from={from} to={to} />
    </>
  );
}

interface CountProps {
  count: number;
  /** Names the figure for screen readers. */
  of: string;
  /** The conversations behind it. */
  place: Partial<Figure>;
  children?: ReactNode;
}

/** A number that leads to its conversations. */
function Count({ count, of, place, children }: CountProps) {
  const { formats } = useStrings();
  const text = children ?? formats.number(count);
  return count === 0 ? (
    text
  ) : (
    <PageLink size="inherit" to={figureAddress(place)} label={text} aria-label={`${of}: ${formats.number(count)}`} />
  );
}

/** Such as "340 ms" or "1.2 s". */
function useTime() {
  const { figures, formats } = useStrings();
  const time = (ms: number) =>
    ms < 1_000 ? figures.milliseconds(formats.number(ms)) : figures.seconds(formats.number(ms / 1_000));
  return (median?: number | null, high?: number | null) =>
    typeof median === 'number' && typeof high === 'number' ? figures.times(time(median), time(high)) : '–';
}

function Totals({ total, place }: { total: Figures['total']; place: Partial<Figure> }) {
  const { figures, terms, formats } = useStrings();
  const times = useTime();
  const { questions, answered, unanswered, failed, handoffs, ratedUp, ratedDown } = total;
  const shared = (count: number, of: string, more: Partial<Figure>) => (
    <Count count={count} of={of} place={{ ...place, ...more }}>
      {questions > 0 ? figures.share(formats.number(count), formats.precisePercent(count / questions)) : formats.number(count)}
    </Count>
  );
  const counts = { [terms.ratedUp]: ratedUp, [terms.ratedDown]: ratedDown, [figures.handoffs]: handoffs };
  const places: Partial<Figure>[] = [{ rating: 'up' }, { rating: 'down' }, { handed: 'yes' }];
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      <Tile label={figures.questions}>
        <Count count={questions} of={figures.questions} place={place} />
      </Tile>
      <Tile label={figures.answered}>
        {figures.share(formats.number(answered), formats.precisePercent(questions > 0 ? answered / questions : 0))}
      </Tile>
      <Tile label={terms.unanswered}>{shared(unanswered, terms.unanswered, { answer: 'unanswered' })}</Tile>
      <Tile label={terms.failed}>{shared(failed, terms.failed, { answer: 'failed' })}</Tile>
      {Object.entries(counts).map(([label, count], at) => (
        <Tile key={label} label={label}>
          <Count count={count} of={label} place={{ ...place, ...places[at] }} />
        </Tile>
      ))}
      <Tile label={terms.credits}>{formats.credits(total.credits)}</Tile>
      <Tile label={figures.firstToken}>{times(total.firstTokenMedianMs, total.firstTokenHighMs)}</Tile>
      <Tile label={figures.end}>{times(total.endMedianMs, total.endHighMs)}</Tile>
      <Tile label={figures.tokens}>{figures.tokensOf(formats.number(total.inputTokens), formats.number(total.outputTokens))}</Tile>
    </SimpleGrid>
  );
}

const Tile = ({ label, children }: { label: string; children: ReactNode }) => (
  <Paper withBorder p="sm">
    <Note size="xs">{label}</Note>
    <Text size="md" fw={650} component="div">
      {children}
    </Text>
  </Paper>
);

/** The questions of each day. Days without questions are gaps. */
function Days({ days, from, to }: Pick<Figures, 'days' | 'from' | 'to'>) {
  const { figures, terms, formats } = useStrings();
  const known = new Map(days.map((each) => [each.day, each]));
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;
  const data = Array.from({ length: count }, (_, at) => {
    const day = new Date(Date.parse(from) + at * DAY).toISOString().slice(0, 10);
    const { answered, unanswered, failed } = known.get(day) ?? {};
    return { day: formats.day(day), answered, unanswered, failed };
  });
  return (
    <div aria-hidden>
      <BarChart
        h={200}
        mb="md"
        data={data}
        dataKey="day"
        type="stacked"
        withLegend
        series={[
          { name: 'answered', label: figures.answered, color: 'teal.6' },
          { name: 'unanswered', label: terms.unanswered, color: 'yellow.6' },
          { name: 'failed', label: terms.failed, color: 'red.6' },
        ]}
        valueFormatter={formats.number}
        gridAxis="x"
        barProps={{ isAnimationActive: false, maxBarSize: 40 }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}

/** The figures of days or versions. */
function Sums({ label, title, rows }: { label: string; title: string; rows: readonly Row[] }) {
  const { figures, terms, formats } = useStrings();
  const times = useTime();
  const titles = { ...figures, ...terms };
  const counted = (
    key: 'questions' | 'unanswered' | 'failed' | 'handoffs' | 'ratedUp' | 'ratedDown',
    more: Partial<Figure>,
    from?: Column<Row>['from'],
  ): Column<Row> => ({
    key,
    title: titles[key],
    align: 'right',
    from,
    cell: (row) => <Count count={row[key]} of={`${titles[key]}, ${row.name}`} place={{ ...row.place, ...more }} />,
  });
  return (
    <ShortTable
      label={label}
      rows={rows}
      columns={[
        { key: 'name', title, cell: ({ name }) => name },
        counted('questions', {}),
        {
          key: 'answered',
          title: figures.answered,
          align: 'right',
          cell: ({ answered, questions }) => (questions > 0 ? formats.percent(answered / questions) : '–'),
        },
        counted('unanswered', { answer: 'unanswered' }, 'xs'),
        counted('failed', { answer: 'failed' }, 'md'),
        counted('handoffs', { handed: 'yes' }, 'md'),
        counted('ratedUp', { rating: 'up' }, 'sm'),
        counted('ratedDown', { rating: 'down' }, 'sm'),
        { key: 'end', title: figures.end, align: 'right', from: 'lg', cell: (row) => times(row.endMedianMs, row.endHighMs) },
        { key: 'credits', title: terms.credits, align: 'right', from: 'md', cell: ({ credits }) => formats.credits(credits) },
      ]}
    />
  );
}
