import pg from 'pg';

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Rows that the scans of a plan read, including those that a filter removes. */
const scannedBy = (plan: Plan): number => {
  const own = /^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(plan['Node Type'])
    ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
    : 0;
  return own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, each) => sum + scannedBy(each), 0);
};

/** Calls of functions that return rows. */
const callsIn = (plan: Plan): number =>
  (plan['Node Type'] === 'Function Scan' ? plan['Actual Loops'] : 0) +
  (plan.Plans ?? []).reduce((sum, each) => sum + callsIn(each), 0);

/** Returns the calls of functions that return rows, and the rows and the blocks that PostgreSQL reads for the queries of `work`. Skipped index entries count as blocks only. */
export async function readBy(
  pool: pg.Pool,
  work: () => Promise<unknown>,
): Promise<{ calls: number; rows: number; blocks: number }> {
  const queries = await queriesOf(work);
  let [calls, rows, blocks] = [0, 0, 0];
  for (const { text, values } of queries) {
    const explained = await pool.query(`explain (analyze, buffers, timing off, format json) ${text}`, values);
    const { Plan: plan } = explained.rows[0]['QUERY PLAN'][0];
    calls += callsIn(plan);
    rows += scannedBy(plan);
    blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  return { calls, rows, blocks };
}

async function queriesOf(work: () => Promise<unknown>): Promise<{ text: string; values?: unknown[] }[]> {
  const found: { text: string; values?: unknown[] }[] = [];
  const { prototype } = pg.Client as unknown as { prototype: { query(...given: unknown[]): unknown } };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...given: unknown[]) {
    const [statement, values] = given as [string | { text: string; values?: unknown[] }, unknown[] | undefined];
    const one = typeof statement === 'string' ? { text: statement, values } : statement;
    if (/^\s*(select|with)\b/i.test(one.text)) found.push({ text: one.text, values: one.values ?? values });
    return query.apply(this, given);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return found;
}
