import type { Link, Toxic } from './link.ts';

type Random = () => number;

/** A fault of the connections of a link. */
interface NetworkFault {
  /** Shortest and longest duration in seconds. */
  seconds: readonly [number, number];
  begin(link: Link, random: Random): Promise<void>;
}

const STREAMS = ['upstream', 'downstream'] as const;
const between = (random: Random, from: number, to: number) => Math.round(from + random() * (to - from));
const oneOf = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

/** Half of the time, a fault hits only about half of the connections, so that new ones may work while old ones hang. */
const toxicityOf = (random: Random) => oneOf(random, [1, 0.5]);

const toxic = (link: Link, random: Random, type: Toxic['type'], attributes: Record<string, number>) =>
  link.add({ type, stream: oneOf(random, STREAMS), toxicity: toxicityOf(random), attributes });

/** Faults of connections, by the name in `--faults`. */
export const networkFaults = {
  /** Closes the connections and refuses new ones. */
  cut: { seconds: [0.5, 5], begin: (link) => link.cut() },
  /** Resets connections some time after their first data. */
  reset: { seconds: [0.5, 3], begin: (link, random) => toxic(link, random, 'reset_peer', { timeout: between(random, 0, 300) }) },
  delay: {
    seconds: [2, 8],
    begin: (link, random) => toxic(link, random, 'latency', { latency: between(random, 200, 2_000), jitter: 100 }),
  },
  /** Sends small pieces with pauses, or closes connections in the middle of the data. */
  slice: {
    seconds: [1, 5],
    begin: (link, random) =>
      random() < 0.5
        ? toxic(link, random, 'slicer', { average_size: 200, size_variation: 100, delay: between(random, 500, 5_000) })
        : toxic(link, random, 'limit_data', { bytes: between(random, 100, 50_000) }),
  },
  /** Nothing arrives, and no connection is closed. */
  blackhole: { seconds: [3, 30], begin: (link, random) => toxic(link, random, 'timeout', { timeout: 0 }) },
} satisfies Record<string, NetworkFault>;

export type NetworkFaultName = keyof typeof networkFaults;
export const networkFaultNames = Object.keys(networkFaults) as NetworkFaultName[];
