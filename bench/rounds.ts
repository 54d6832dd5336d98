/** Results of both sides, by round. */
export interface Sides<T> {
  ours: T[];
  peer: T[];
}
export type Pairs = Sides<number>;

export interface Spread {
  min: number;
  median: number;
  max: number;
}

/** Measure interleaved, A B A B …, so that other load on the machine affects both sides. The first round is a warm-up. */
export async function interleave<T>(
  rounds: number,
  ours: () => Promise<T>,
  peer: () => Promise<T>,
  note: (text: string) => void,
): Promise<Sides<T>> {
  const pairs: Sides<T> = { ours: [], peer: [] };
  for (let round = 0; round <= rounds; round += 1) {
    note(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    const pair = [await ours(), await peer()] as const;
    if (round === 0) continue;
    pairs.ours.push(pair[0]);
    pairs.peer.push(pair[1]);
  }
  return pairs;
}

/** Select one figure of measurements with several. */
export const pick = <T>({ ours, peer }: Sides<T>, figure: (of: T) => number): Pairs => ({
  ours: ours.map(figure),
  peer: peer.map(figure),
});

/** One number per round, computed from both sides. */
export const each = ({ ours, peer }: Pairs, compare: (ours: number, peer: number) => number): number[] =>
  ours.map((value, round) => compare(value, peer[round]!));

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { min: sorted[0]!, median: median(sorted), max: sorted.at(-1)! };
}

function median(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}
