import type { EventStream } from 'compiled-gateway/event-stream';
import { v7 as uuid } from 'uuid';
import { findById, lockName, query, readById, readRows, sql } from '../../../platform/database/index.ts';
import { listPage } from '../../../platform/lists/index.ts';
import { type ChangeLog, followChanges } from '../../../platform/progress/index.ts';
import { post } from '../../../platform/queues/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { lockAgent, requireAgent } from '../agents/service.ts';
import { TestSet } from '../testing/entity.ts';
import { findSet } from '../testing/service.ts';
import { currentVersion } from '../versions/service.ts';
import { endRuns } from './early-end.ts';
import {
  type NewTestRun,
  TestResult,
  TestRun,
  TestRunCase,
  type TestRunCasesArguments,
  type TestRunsArguments,
  type TestRunUpdate,
} from './entity.ts';

/** Runs of a set that are kept; older ones make room. */
const KEPT_RUNS = 30;
/** Open runs of an organization. */
const MAX_OPEN = 10;
const KIND = 'Test run';

/** The runs of an agent, newest first. Throws `NOT_FOUND`. */
export async function listRuns(scope: Scope, { agentId, testSetId, ...page }: TestRunsArguments) {
  await requireAgent(scope, agentId);
  const set = testSetId ? await findSet(scope, testSetId) : undefined;
  const where = { agentId, ...(set && { testSetId: set.id }) };
  return listPage(scope, TestRun, { where, orderBy: { createdAt: 'desc', id: 'desc' } }, page);
}

/** Throws `NOT_FOUND`. */
export const findRun = (scope: Scope, id: string): Promise<TestRun> => readById(scope, TestRun, id, KIND);

/** The cases of a run, in the order of its test set. */
export async function listRunCases(scope: Scope, { id, target }: TestRun, { outcome, regressed, ...page }: TestRunCasesArguments) {
  const where = { runId: id, ...(outcome && { [target]: outcome }), ...(regressed && { regressed }) };
  return listPage(scope, TestRunCase, { where, orderBy: { position: 'asc' } }, page);
}

/** Throws `NOT_FOUND`. */
export const findRunCase = (scope: Scope, id: string): Promise<TestRunCase> => readById(scope, TestRunCase, id, 'Test case');

/** The repeats of a case, those of the draft first. Batches the cases of a list into one query. */
export async function resultsOf(scope: RequestScope, runCaseId: string): Promise<TestResult[]> {
  const read = scope.batch('results of test cases', async (ids) => {
    const rows = { where: { runCaseId: ids }, orderBy: { target: 'asc', repeat: 'asc' } } as const;
    return Map.groupBy(await readRows(scope, TestResult, rows), (each) => each.runCaseId);
  });
  return (await read(runCaseId)) ?? [];
}

/** The newest run of a set. Batches the sets of a list into one query. */
export const lastRunOf = (scope: RequestScope, setId: string): Promise<TestRun | null> =>
  scope.batch('last runs of test sets', async (ids) => {
    const newest = () =>
      'r.id = (select n.id from agent.test_runs n where n.test_set_id = r.test_set_id order by n.created_at desc, n.id desc limit 1)';
    const found = await readRows(scope, TestRun, { where: { testSetId: ids }, matching: newest });
    return new Map(found.map((each) => [each.testSetId, each]));
  })(setId);

/** The newest nightly run of each test set of the organization, if it failed or has less than the required share. */
export const listFailedNightly = (scope: Scope): Promise<TestRun[]> =>
  readRows(
    scope,
    TestRun,
    {
      where: { trigger: 'schedule', status: ['completed', 'failed'] },
      matching: () => `r.created_at > now() - interval '7 days' and (r.status = 'failed' or r.share < coalesce(
             (select s.required_share from agent.test_sets s where s.id = r.test_set_id), 1))
        and not exists (select from agent.test_runs n where n.test_set_id = r.test_set_id and n.trigger = 'schedule'
                           and n.created_at > r.created_at and n.status in ('completed', 'failed'))`,
      orderBy: { createdAt: 'desc', id: 'desc' },
    },
    { limit: 20, offset: 0 },
  );

/** Starts a run of a set. Throws `CONFLICT` while another one is open, and `UNPROCESSABLE` without cases or without a draft. */
export const startRun = (scope: RequestScope, testSetId: string, input: NewTestRun): Promise<TestRun> =>
  scope.write(async (inner) => insertRun(inner, testSetId, { ...input, trigger: 'user', authorName: scope.caller.name }));

type Started = NewTestRun & Pick<TestRun, 'trigger' | 'authorName'>;

/** Adds a run with copies of the cases and contents that it tests, in the transaction of the scope. */
export async function insertRun(
  scope: Scope,
  testSetId: string,
  { target, repeats, creditLimit = null, trigger, authorName }: Started,
): Promise<TestRun> {
  const { em, organizationId } = scope;
  const set = await findById(em, TestSet, testSetId, 'Test set');
  const { agentId } = set;
  const version = await currentVersion(scope, agentId);
  const draftId = target === 'draft' ? await lockDraft(scope, agentId) : null;
  await requireRoom(scope, set.id);
  // An erasure that deletes cases of the set waits, so that it finds their copies.
  await query(em, sql`select 1 from agent.test_sets where id = ${set.id} for share`);
  const id = uuid();
  const targets = target === 'draft' ? ['draft', 'published'] : ['published'];
  const [added] = await query(
    em,
    sql<{ cases: number }>`
      with run as (
        insert into agent.test_runs (id, organization_id, agent_id, test_set_id, test_set_name, revision, target, trigger, author_name, status,
                                     repeats, credit_limit, version, draft_id, draft_content, draft_hash, published_content, case_count, total)
        select ${id}, s.organization_id, s.agent_id, s.id, s.name, s.revision, ${target}, ${trigger}, ${authorName}, 'pending', ${repeats},
               ${creditLimit}, ${version}, ${draftId}::uuid, agent.content_of(${draftId}), agent.content_hash(${draftId}),
               agent.content_of(s.agent_id), n.cases, n.cases * ${repeats * targets.length}
          from agent.test_sets s, lateral (select count(*)::int as cases from agent.test_cases c where c.test_set_id = s.id) n
         where s.id = ${set.id} and n.cases > 0
        returning id, case_count),
      cases as (
        insert into agent.test_run_cases (id, organization_id, run_id, case_id, message_id, contact_id, position, name, messages, customer, identity,
                                          checks, recordings, expectation)
        select gen_random_uuid(), ${organizationId}, run.id, c.id, c.message_id, c.contact_id, row_number() over (order by c.created_at, c.id), c.name,
               c.messages, c.customer, c.identity, c.checks, c.recordings, c.expectation
          from run join agent.test_cases c on c.test_set_id = ${set.id}
        returning id, run_id, position),
      results as (
        insert into agent.test_results (id, organization_id, run_id, run_case_id, target, repeat, turn, status)
        select gen_random_uuid(), ${organizationId}, c.run_id, c.id, t.target, r.repeat,
               row_number() over (order by r.repeat, c.position, t.place), 'pending'
          from cases c, generate_series(1, ${repeats}) r (repeat), unnest(${targets}::text[]) with ordinality t (target, place))
      select case_count as cases from run`,
  );
  if (!added) throw fail('UNPROCESSABLE', 'The test set has no cases.');
  await query(
    em,
    sql`delete from agent.test_runs where id in (
          select id from agent.test_runs where test_set_id = ${set.id} and status not in ('pending', 'processing')
           order by created_at desc, id desc offset ${KEPT_RUNS})`,
  );
  await post(scope, 'test-run.start', { runId: id, organizationId });
  return findById(em, TestRun, id, KIND);
}

/** The draft of an agent, locked with it, so that its content and version stay valid until the commit. */
async function lockDraft(scope: Scope, agentId: string): Promise<string> {
  const [draft] = await query(
    scope.em,
    sql<{
      id: string;
    }>`select id from agent.agents where draft_of = ${agentId} and organization_id = ${scope.organizationId} and deleted_at is null`,
  );
  if (!draft) throw fail('UNPROCESSABLE', 'The agent has no draft. Test the published version instead.');
  await lockAgent(scope, draft.id);
  return draft.id;
}

async function requireRoom({ em, organizationId }: Scope, testSetId: string): Promise<void> {
  await lockName(em, `test runs of ${organizationId}`);
  const [open] = await query(
    em,
    sql<{ all: number; same: number }>`
      select count(*)::int as "all", count(*) filter (where test_set_id = ${testSetId})::int as same from agent.test_runs
       where organization_id = ${organizationId} and status in ('pending', 'processing')`,
  );
  if (open!.same > 0) throw fail('CONFLICT', 'The test set is running already.');
  if (open!.all >= MAX_OPEN) throw fail('LIMIT_REACHED', `At most ${MAX_OPEN} test runs are open at a time.`);
}

/** Stops a run. Its open repeats are skipped, and cost only the replies that have begun. A run that has ended stays as it is. */
export async function stopRun(scope: Scope, id: string): Promise<TestRun> {
  const { id: runId } = await findRun(scope, id);
  await transaction(scope, async (inner) => (await endRuns(inner, { runId }, { status: 'stopped' }))());
  return findRun(scope, runId);
}

const isEnded = (status: string): boolean => ['completed', 'failed', 'stopped'].includes(status);

const READ = `
  select id as "runId", sequence, status, finished, total, credits::float8 as credits, error, false as "isSnapshot"
    from agent.test_runs where id = $1 and organization_id = $2 and sequence > $3`;

/** The changes of runs. Only the newest state of a run is stored, and contains those before. */
const runLog: ChangeLog<TestRunUpdate, TestRunUpdate> = {
  channel: 'test_runs',
  async read({ services, organizationId }, runId, after) {
    const { rows } = await services.pool.query<TestRunUpdate>({
      name: 'test run',
      text: READ,
      values: [runId, organizationId, after],
    });
    return rows;
  },
  merge: (changes) => changes,
  isEnded,
  async hasEnded(scope, id, seen) {
    const [run] = await readRows(scope, TestRun, { columns: ['status', 'sequence'], where: { id } });
    return !run || (isEnded(run.status) && run.sequence <= seen);
  },
};

/** Streams the states of a run after the given one, until it has ended. */
export async function followRun(
  scope: RequestScope,
  given: string,
  after: number | null | undefined,
): Promise<EventStream<TestRunUpdate>> {
  const { id, sequence, status, finished, total, credits, error } = await findRun(scope, given);
  async function* snapshot() {
    yield { runId: id, sequence, status, finished, total, credits, error, isSnapshot: true };
  }
  return followChanges(runLog, scope, { id, sequence, after, snapshot });
}
