import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { TestCheckOutcome, TestRun } from './entity.ts';
import { findRun } from './service.ts';

interface Row {
  name: string;
  draft: EnumValue<'TestOutcome'> | null;
  published: EnumValue<'TestOutcome'> | null;
  regressed: boolean;
  /** The repeats of the tested content that did not pass. */
  failures: { repeat: number; status: string; error: string | null; checks: TestCheckOutcome[]; reply: string | null }[];
  durationMs: number;
  credits: number;
  inputTokens: number;
  outputTokens: number;
}

/** The report of a run as text. Its size is limited by the number of cases. */
export async function reportOf(scope: Scope, id: string, format: EnumValue<'TestReportFormat'>): Promise<string> {
  const run = await findRun(scope, id);
  const rows = await query(
    scope.em,
    sql<Row>`
      select c.name, c.draft, c.published, c.regressed, r.*
        from agent.test_run_cases c cross join lateral (
             select coalesce(jsonb_agg(jsonb_build_object('repeat', repeat, 'status', status, 'error', error, 'reply', left(turns -> -1 ->> 'reply', 2000),
                      'checks', checks) order by repeat) filter (where status in ('failed', 'error')), '[]') as failures,
                    coalesce(max(longest), 0)::int as "durationMs", coalesce(sum(credits), 0)::float8 as credits,
                    coalesce(sum(input_tokens), 0)::int as "inputTokens", coalesce(sum(output_tokens), 0)::int as "outputTokens"
               from (select *, (select max((t ->> 'durationMs')::int) from jsonb_array_elements(turns) t) as longest
                       from agent.test_results where run_case_id = c.id and target = ${run.target}) each) r
       where c.run_id = ${run.id} and c.organization_id = ${scope.organizationId} order by c.position`,
  );
  return format === 'json' ? jsonOf(run, rows) : junitOf(run, rows);
}

function jsonOf(run: TestRun, rows: readonly Row[]): string {
  const {
    id,
    agentId,
    testSetId,
    testSetName,
    target,
    status,
    error,
    version,
    repeats,
    credits,
    share,
    regressions,
    draft,
    published,
  } = run;
  const summary = {
    id,
    agentId,
    testSetId,
    testSetName,
    target,
    status,
    error,
    version,
    repeats,
    credits,
    share,
    regressions,
    draft,
    published,
  };
  return JSON.stringify({ ...summary, cases: rows }, null, 2);
}

/** A test case for each case. A flaky one does not fail, and shows its failures as output. */
function junitOf({ testSetName, target, status, error, createdAt }: TestRun, rows: readonly Row[]): string {
  const cases = rows.map((row) => {
    const head = `classname="${xml(testSetName)}" name="${xml(row.name)}" time="${row.durationMs / 1_000}"`;
    return `  <testcase ${head}>${bodyOf(row, row[target])}</testcase>`;
  });
  const failed = rows.filter((row) => row[target] === 'never').length;
  const aborted = status === 'completed' ? '' : `\n  <system-err>${xml(error ?? `The run is ${status}.`)}</system-err>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="${xml(testSetName)}" tests="${rows.length}" failures="${failed}" timestamp="${new Date(createdAt).toISOString()}">
${cases.join('\n')}${aborted}
</testsuite>
`;
}

function bodyOf(row: Row, outcome: Row['draft']): string {
  const shown = row.failures.map(textOf).join('\n');
  if (outcome === null) return '<skipped/>';
  if (outcome === 'never') return `<failure message="${xml(messageOf(row))}">${xml(shown)}</failure>`;
  return outcome === 'sometimes' ? `<system-out>${xml(`Flaky:\n${shown}`)}</system-out>` : '';
}

const messageOf = ({ regressed }: Row) => (regressed ? 'It passed with the published version.' : 'It passes in no repeat.');

function textOf({ repeat, error, checks, reply }: Row['failures'][number]): string {
  const reasons = error ? [error] : checks.filter(({ passed }) => !passed).map(({ check, reason }) => `${check.kind}: ${reason}`);
  return [`Repeat ${repeat}`, ...reasons, ...(reply ? [`Reply: ${reply}`] : [])].join('\n');
}

/** Text without characters that XML cannot contain. */
const xml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows no others.
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
