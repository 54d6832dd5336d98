import type { Services } from '../../subgraphs/common/services.ts';

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Rows that the scans of a plan read, including those that a filter removes. */
const scannedBy = (plan: Plan): number => {
  const own = plan['Node Type'].includes('Scan') ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0;
  return own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, each) => sum + scannedBy(each), 0);
};

/** Returns the rows and the blocks that PostgreSQL reads for the statements that `work` reads rows with. Index entries count as blocks only. */
export async function readBy({ statements, pool }: Services, work: () => Promise<unknown>) {
  const read: { text: string; values?: unknown[] }[] = [];
  const { run } = statements;
  statements.run = (statement, ...rest) => {
    read.push(statement);
    return run.call(statements, statement, ...rest) as never;
  };
  await work();
  statements.run = run;
  let [rows, blocks] = [0, 0];
  for (const { text, values } of read) {
    const explained = await pool.query(`explain (analyze, buffers, timing off, format json) ${text}`, values);
    const { Plan: plan } = explained.rows[0]['QUERY PLAN'][0];
    rows += scannedBy(plan);
    blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  return { rows, blocks };
}
