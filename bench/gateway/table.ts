import { aligned } from '../report.ts';
import { spread } from '../rounds.ts';
import type { Figure } from './measure.ts';
import type { Peer } from './peers.ts';

/** Measurements of one peer with one query, by round. */
export interface Series {
  query: string;
  peer: Pick<Peer, 'key' | 'name'>;
  figures: Figure[];
  /** Memory in megabytes after the last round. */
  memory?: number;
}

const HEAD = [
  '',
  'ratio: min – median – max',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU ms/request',
  'CPU ratio',
  'CPU around it',
  'MB at the end',
];

/** One row per query and peer. Ratios are relative to the first peer; the ratio of requests/s is the median over rounds. */
export function table(all: readonly Series[]): string {
  const rows = [...Map.groupBy(all, ({ query }) => query)].flatMap(([query, series]) => [
    [query, ...HEAD.slice(1).map(() => '')],
    ...series.map((each) => row(each, series[0]!)),
  ]);
  return aligned([HEAD, ...rows]);
}

function row({ peer, figures, memory }: Series, base: Series): string[] {
  const ratios = figures.map(({ requestsPerSecond }, round) => requestsPerSecond / base.figures[round]!.requestsPerSecond);
  const { min, median, max } = spread(ratios);
  const cpu = middle(figures, 'cpu');
  const baseCpu = middle(base.figures, 'cpu');
  return [
    `  ${peer.name}`,
    [min, median, max].map((value) => value.toFixed(2).padStart(5)).join(' – '),
    shown(middle(figures, 'requestsPerSecond'), 0),
    shown(middle(figures, 'p50'), 2),
    shown(middle(figures, 'p99'), 2),
    shown(cpu, 3),
    shown(cpu && baseCpu && baseCpu / cpu, 2),
    shown(middle(figures, 'cpuAround'), 3),
    shown(memory, 0),
  ];
}

function middle(figures: readonly Figure[], name: keyof Figure): number | undefined {
  const values = figures.map((figure) => figure[name]).filter((value) => value !== undefined);
  return values.length > 0 ? spread(values).median : undefined;
}

const shown = (value: number | undefined, digits: number) => (value === undefined ? '–' : value.toFixed(digits).padStart(8));
