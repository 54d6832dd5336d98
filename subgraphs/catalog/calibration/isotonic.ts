/** How often values with the same stated confidence were right. */
export interface Observation {
  /** 0 to 100. */
  stated: number;
  count: number;
  right: number;
}

/** Maps a stated confidence to a measured one, both from 0 to 100. Monotone and continuous. */
export type Calibration = (stated: number) => number;

/** Fits the rates by isotonic regression (pool adjacent violators) and interpolates between the pools. */
export function fitIsotonic(observations: readonly Observation[]): Calibration {
  const pools: { weight: number; x: number; y: number }[] = [];
  for (const { stated, count, right } of [...observations].sort((a, b) => a.stated - b.stated)) {
    let pool = { weight: count, x: stated, y: right / count };
    for (let last = pools.at(-1); last && last.y >= pool.y; last = pools.at(-1)) {
      const weight = last.weight + pool.weight;
      const mean = (a: number, b: number) => (a * last!.weight + b * pool.weight) / weight;
      pool = { weight, x: mean(last.x, pool.x), y: mean(last.y, pool.y) };
      pools.pop();
    }
    pools.push(pool);
  }
  // Two imagined observations, one right and one wrong, so that a few labels never give certainty.
  let least = 0;
  const points = pools.map(({ weight, x, y }) => {
    least = Math.max(least, (100 * (y * weight + 1)) / (weight + 2));
    return { x, y: least };
  });
  return (stated) => interpolate(points, stated);
}

function interpolate(points: readonly { x: number; y: number }[], x: number): number {
  const above = points.findIndex((point) => point.x >= x);
  if (above === 0) return points[0]!.y;
  if (above < 0) return points.at(-1)!.y;
  const [low, high] = [points[above - 1]!, points[above]!];
  return low.y + ((high.y - low.y) * (x - low.x)) / (high.x - low.x);
}
