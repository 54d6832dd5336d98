import { aligned } from '../report.ts';
import { spread } from '../rounds.ts';
import type { Figure } from './measure.ts';
import type { Series } from './table.ts';

interface Aim {
  /** Peer names. */
  ours: string;
  peer: string;
  what: string;
  /** The query it applies to; all if absent. */
  query?: string;
  /** Factor over the peer in one round. */
  times(ours: Figure, peer: Figure): number;
  atLeast: number;
}

const throughput = { what: 'requests/s', times: (ours: Figure, peer: Figure) => ours.requestsPerSecond / peer.requestsPerSecond };
const patience = { what: 'p50 over our p99', times: (ours: Figure, peer: Figure) => peer.p50 / ours.p99 };

const aims: readonly Aim[] = [
  { ours: 'http', peer: 'apollo', ...throughput, atLeast: 6 },
  { ours: 'http', peer: 'hive-router', ...throughput, query: 'heavy', atLeast: 0.5 },
  { ours: 'http', peer: 'hive-router', ...throughput, query: 'medium', atLeast: 0.8 },
  { ours: 'http', peer: 'apollo', ...patience, atLeast: 1 },
  { ours: 'serve', peer: 'apollo', ...throughput, atLeast: 6 },
  { ours: 'apollo-front', peer: 'apollo', ...throughput, atLeast: 3 },
  { ours: 'in-process', peer: 'apollo', ...throughput, atLeast: 15 },
  { ours: 'in-process', peer: 'hive-router', ...throughput, atLeast: 1 },
  { ours: 'in-process', peer: 'apollo', ...patience, atLeast: 1 },
];

/** Targets and results of the measured peers; empty if none of them was measured. */
export function aimTable(all: readonly Series[]): string {
  const rows = [...Map.groupBy(all, ({ query }) => query)].flatMap(([query, series]) =>
    aims.filter((aim) => (aim.query ?? query) === query).flatMap((aim) => row(query, series, aim)),
  );
  return rows.length === 0 ? '' : aligned([['ours / peer', 'of', 'query', 'min – median – max', 'aim', 'met'], ...rows]);
}

function row(query: string, series: readonly Series[], { ours, peer, what, times, atLeast }: Aim): string[][] {
  const [mine, theirs] = [ours, peer].map((key) => series.find((each) => each.peer.key === key));
  if (!mine || !theirs) return [];
  const { min, median, max } = spread(mine.figures.map((figure, round) => times(figure, theirs.figures[round]!)));
  const values = [min, median, max].map((value) => value.toFixed(2).padStart(5)).join(' – ');
  return [[`${mine.peer.name} / ${theirs.peer.name}`, what, query, values, `≥ ${atLeast}`, median >= atLeast ? 'yes' : 'NO']];
}
