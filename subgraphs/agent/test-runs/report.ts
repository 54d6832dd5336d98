import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { escapeMarkup } from '../../../schema/text.ts';
import type { TestCheckOutcome, TestRun } from './entity.ts';
import { findRun } from './service.ts';

interface Row {
  name: string;
  draft: EnumValue<'TestOutcome'> | null;
  published: EnumValue<'TestOutcome'> | null;
  regressed: boolean;
  /** The first repeats of the tested content that did not pass, with the first checks that do not hold. */
  failures: { repeat: number; status: string; error: string | null; checks: TestCheckOutcome[]; reply: string | null }[];
  /** Whether the report is too long for the failures. */
  isCut?: true;
  durationMs: number;
  credits: number;
  inputTokens: number;
  outputTokens: number;
}

/** Failures of a case, failed checks of each, and characters of a reason and a reply that a report shows. */
const [MAX_FAILURES, MAX_CHECKS, MAX_REASON, MAX_REPLY] = [3, 5, 500, 1_000];
/** Characters of the failures of a report. Cases after that are listed without them. */
const MAX_REPORT = 1_000_000;

/** The report of a run as text, of a limited size. */
export async function reportOf(scope: Scope, id: string, format: EnumValue<'TestReportFormat'>): Promise<string> {
  const run = await findRun(scope, id);
  const rows = await query(
    scope.em,
    sql<Row>`
      select c.name, c.draft, c.published, c.regressed, r.*
        from agent.test_run_cases c cross join lateral (
             select coalesce(jsonb_agg(jsonb_build_object('repeat', repeat, 'status', status, 'error', error,
                      'reply', left(turns -> -1 ->> 'reply', ${MAX_REPLY}), 'checks', failed) order by repeat)
                      filter (where status in ('failed', 'error') and place <= ${MAX_FAILURES}), '[]') as failures,
                    coalesce(max(longest), 0)::int as "durationMs", coalesce(sum(credits), 0)::float8 as credits,
                    coalesce(sum(input_tokens), 0)::int as "inputTokens", coalesce(sum(output_tokens), 0)::int as "outputTokens"
               from (select *, row_number() over (partition by status in ('failed', 'error') order by repeat) as place,
                            (select max((t ->> 'durationMs')::int) from jsonb_array_elements(turns) t) as longest,
                            (select coalesce(jsonb_agg(jsonb_build_object('check', jsonb_build_object('kind', k -> 'check' -> 'kind'),
                                      'passed', false, 'reason', left(k ->> 'reason', ${MAX_REASON})) order by at), '[]')
                               from (select k, at from jsonb_array_elements(checks) with ordinality e (k, at)
                                      where k ->> 'passed' = 'false' order by at limit ${MAX_CHECKS}) f) as failed
                       from agent.test_results where run_case_id = c.id and target = ${run.target}) each) r
       where c.run_id = ${run.id} and c.organization_id = ${scope.organizationId} order by c.position`,
  );
  const shown = withinBudget(rows);
  return format === 'json' ? jsonOf(run, shown) : junitOf(run, shown);
}

function withinBudget(rows: readonly Row[]): Row[] {
  let rest = MAX_REPORT;
  return rows.map((row) => {
    rest -= JSON.stringify(row.failures).length;
    return rest >= 0 || row.failures.length === 0 ? row : { ...row, failures: [], isCut: true };
  });
}

const SUMMARY = [
  ...(['id', 'agentId', 'testSetId', 'testSetName', 'target', 'status', 'error', 'version', 'repeats'] as const),
  ...(['credits', 'share', 'regressions', 'draft', 'published'] as const),
];

function jsonOf(run: TestRun, rows: readonly Row[]): string {
  const summary = Object.fromEntries(SUMMARY.map((name) => [name, run[name]]));
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
  const shown = row.isCut ? 'The report is too long to show this. See the run.' : row.failures.map(textOf).join('\n');
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows no others.
  escapeMarkup(text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ''));
