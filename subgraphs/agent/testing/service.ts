import { LockMode, wrap } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import {
  type Bind,
  clock,
  conflictIfTaken,
  deleteById,
  findById,
  isId,
  query,
  readById,
  readRows,
  requireAll,
  sql,
} from '../../../platform/database/index.ts';
import { containing, listPage } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { lockAgent, requireAgent, requirePublished } from '../agents/service.ts';
import { endRuns } from '../test-runs/early-end.ts';
import { currentVersion } from '../versions/service.ts';
import { checkOf, type NewSimulatedCustomer, type SimulatedCustomer } from './case-parts.ts';
import {
  type DeleteTestCasesArguments,
  type NewPublishRequirement,
  type NewTestCase,
  type NewTestSet,
  type PublishRequirement,
  TestCase,
  type TestCaseChange,
  type TestCasesArguments,
  TestSet,
  type TestSetChange,
} from './entity.ts';

export const MAX_SETS = 50;
export const MAX_CASES = 500;
const SET = 'Test set';
const CASE = 'Test case';

/** The test sets of an agent, by name. Throws `NOT_FOUND`. */
export async function listSets(scope: Scope, agentId: string): Promise<TestSet[]> {
  await requireAgent(scope, agentId);
  return readRows(scope, TestSet, { where: { agentId }, orderBy: { name: 'asc' } }, { limit: MAX_SETS, offset: 0 });
}

/** Throws `NOT_FOUND`. */
export const findSet = (scope: Scope, id: string): Promise<TestSet> => readById(scope, TestSet, id, SET);

/** Throws `CONFLICT` for a taken name, and `LIMIT_REACHED` at 50 sets. */
export async function createSet(scope: RequestScope, agentId: string, { name, nightly }: NewTestSet): Promise<TestSet> {
  await requirePublished(scope, agentId);
  const creating = scope.write(async (inner) => {
    const { em, organizationId } = inner;
    await lockAgent(inner, agentId);
    if ((await em.count(TestSet, { agentId })) >= MAX_SETS)
      throw fail('LIMIT_REACHED', `An agent has at most ${MAX_SETS} test sets.`);
    const set = em.create(TestSet, { organizationId, agentId, name, nightly, nextRunAt: nightly ? nextNight(clock.now()) : null });
    await em.flush();
    return set;
  });
  return creating.catch(conflictIfTaken(`A test set with the name ${name} already exists.`));
}

export async function updateSet(scope: Scope, id: string, { name, nightly }: TestSetChange): Promise<TestSet> {
  const set = await findById(scope.em, TestSet, id, SET);
  set.name = name ?? set.name;
  if (nightly != null && nightly !== set.nightly)
    Object.assign(set, { nightly, nextRunAt: nightly ? nextNight(clock.now()) : null });
  await scope.em.flush().catch(conflictIfTaken(`A test set with the name ${name} already exists.`));
  return set;
}

/** Deletes a set, and ends its open run. Throws `UNPROCESSABLE` for the set that a publication requires. */
export async function deleteSet(scope: Scope, id: string) {
  return transaction(scope, async (inner) => {
    const { agentId } = await findById(inner.em, TestSet, id, SET);
    // Until the commit, no run of the set begins, and no publication requires it.
    await lockAgent(inner, agentId);
    const { requiredShare } = await findById(inner.em, TestSet, id, SET, { refresh: true, lockMode: LockMode.PESSIMISTIC_WRITE });
    if (requiredShare !== null) throw fail('UNPROCESSABLE', 'Publishing requires this test set. Remove the requirement first.');
    const refund = await endRuns(inner, { testSetId: id }, { status: 'stopped' });
    const deleted = await deleteById(inner.em, TestSet, id, SET);
    await refund();
    return deleted;
  });
}

/** The cases of a set, oldest first. */
export async function listCases(scope: Scope, { testSetId, search, ...page }: TestCasesArguments) {
  await findSet(scope, testSetId);
  const words = search?.trim();
  const matching = words ? (bind: Bind) => `lower(r.name) like ${containing(words, bind)}` : undefined;
  return listPage(scope, TestCase, { where: { testSetId }, matching, orderBy: { createdAt: 'asc', id: 'asc' } }, page);
}

/** Throws `NOT_FOUND`. */
export const findCase = (scope: Scope, id: string): Promise<TestCase> => readById(scope, TestCase, id, CASE);

export const createCase = (scope: RequestScope, testSetId: string, input: NewTestCase): Promise<TestCase> =>
  scope.write(async (inner) => {
    const [added] = await addCases(inner, testSetId, [{ ...input, origin: 'manual', messageId: null, contactId: null }]);
    return added!;
  });

/** A case to store, with its origin. */
export type OwnedCase = NewTestCase & Pick<TestCase, 'messageId' | 'contactId'> & { origin: EnumValue<'TestCaseOrigin'> };

/** Adds cases in the transaction of the scope. Throws `LIMIT_REACHED` beyond 500 cases. */
export async function addCases(scope: Scope, testSetId: string, inputs: readonly OwnedCase[]): Promise<TestCase[]> {
  const { em, organizationId } = scope;
  if (inputs.length === 0) {
    await findById(em, TestSet, testSetId, SET);
    return [];
  }
  await touch(scope, testSetId);
  const count = await em.count(TestCase, { testSetId });
  if (count + inputs.length > MAX_CASES) throw fail('LIMIT_REACHED', `A test set has at most ${MAX_CASES} cases.`);
  const cases = inputs.map(({ origin, messageId, contactId, ...input }) =>
    em.create(TestCase, { id: uuid(), organizationId, testSetId, origin, messageId, contactId, ...contentOf(input) }),
  );
  await em.flush();
  return cases;
}

const contentOf = ({ name, messages, customer, identity, checks, recordings, expectation }: NewTestCase) => ({
  name,
  messages,
  customer: customer ? customerOf(customer, messages) : requireMessages(messages),
  identity: identity
    ? { subject: identity.subject, email: identity.email ?? null, name: identity.name ?? null, claims: identity.claims ?? {} }
    : null,
  checks: checks.map(checkOf),
  recordings: (recordings ?? []).map(({ tool, arguments: given, output, error }) => ({
    tool,
    arguments: given ?? null,
    output: output ?? null,
    error: error || null,
  })),
  expectation: expectation?.trim() || null,
});

/** A case needs a visitor: messages, or a customer that may still write. Throws `INVALID_INPUT`. */
function customerOf({ goal, manner, maxMessages }: NewSimulatedCustomer, { length }: readonly string[]): SimulatedCustomer {
  if (maxMessages <= length) throw fail('INVALID_INPUT', 'customer.maxMessages must be larger than the number of messages');
  return { goal, manner: manner?.trim() || null, maxMessages };
}

function requireMessages({ length }: readonly string[]): null {
  if (length === 0) throw fail('INVALID_INPUT', 'messages must have at least 1 item, or the case a customer');
  return null;
}

export const updateCase = (scope: Scope, id: string, change: TestCaseChange): Promise<TestCase> =>
  transaction(scope, async (inner) => {
    const found = await findById(inner.em, TestCase, id, CASE);
    await touch(inner, found.testSetId);
    await inner.em.refresh(found);
    const whole = contentOf({
      name: change.name ?? found.name,
      messages: change.messages ?? found.messages,
      customer: change.customer === undefined ? found.customer : change.customer,
      identity: change.identity === undefined ? found.identity : change.identity,
      checks: change.checks ?? found.checks,
      recordings: change.recordings === undefined ? found.recordings : change.recordings,
      expectation: change.expectation === undefined ? found.expectation : change.expectation,
    });
    wrap(found).assign(whole, { mergeObjectProperties: false });
    await inner.em.flush();
    return found;
  });

/** Deletes cases of one set. Throws `NOT_FOUND` with the `missingIds` unless it has all of them. */
export const deleteCases = (scope: Scope, { testSetId, ids: given }: DeleteTestCasesArguments): Promise<number> =>
  transaction(scope, async (inner) => {
    if (given.length > 0) await touch(inner, testSetId);
    else await findById(inner.em, TestSet, testSetId, SET);
    const deleted = await requireAll(given, CASE, (ids) =>
      query(
        inner.em,
        sql<{
          id: string;
        }>`delete from agent.test_cases where test_set_id = ${testSetId} and id = any(${ids}::uuid[]) returning id`,
      ),
    );
    return deleted.length;
  });

/** Gives a set its next revision, and makes its changes wait for each other. Throws `NOT_FOUND`. */
async function touch({ em, organizationId }: Scope, id: string): Promise<void> {
  const touched = isId(id)
    ? await query(
        em,
        sql`update agent.test_sets set revision = revision + 1, updated_at = now()
             where id = ${id} and organization_id = ${organizationId} returning 1`,
      )
    : [];
  if (touched.length === 0) throw fail('NOT_FOUND', `${SET} not found`);
}

/** The number of cases. Batches the sets of a list into one query. */
export const caseCountOf = (scope: RequestScope, setId: string): Promise<number> =>
  scope
    .batch('cases of test sets', async (ids) => {
      const found = await query(
        scope.em,
        sql<{ id: string; n: number }>`
          select test_set_id as id, count(*)::int as n from agent.test_cases
           where test_set_id = any(${ids}::uuid[]) and organization_id = ${scope.organizationId} group by 1`,
      );
      return new Map(found.map(({ id, n }) => [id, n]));
    })(setId)
    .then((count) => count ?? 0);

/** The tests that an agent must pass before content of it is published; null for none. Batches the agents of a list into one query. */
export const requirementOf = (scope: RequestScope, agentId: string): Promise<PublishRequirement | null> =>
  scope.batch('gates of agents', async (ids) => {
    const found = await readRows(scope, TestSet, {
      columns: ['id', 'agentId', 'requiredShare'],
      where: { agentId: ids },
      matching: () => 'r.required_share is not null',
    });
    return new Map(found.map(({ id, agentId: of, requiredShare }) => [of, { testSetId: id, share: requiredShare! }]));
  })(agentId);

/** Requires tests before content of an agent is published; null requires none. Throws `NOT_FOUND` for a set of another agent. */
export async function requireTests(scope: Scope, agentId: string, requirement: NewPublishRequirement | null): Promise<void> {
  await requirePublished(scope, agentId);
  if (requirement) {
    const set = await findSet(scope, requirement.testSetId);
    if (set.agentId !== agentId.toLowerCase()) throw fail('NOT_FOUND', `${SET} not found`);
  }
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    // An agent with a gate always has a version, so that each change is seen as one.
    await (requirement ? currentVersion(inner, agentId) : lockAgent(inner, agentId));
    await query(
      em,
      sql`update agent.test_sets set required_share = null where agent_id = ${agentId} and organization_id = ${organizationId}
             and required_share is not null`,
    );
    if (requirement) {
      const required = await query(
        em,
        sql`update agent.test_sets set required_share = ${requirement.share} where id = ${requirement.testSetId} and agent_id = ${agentId}
               and organization_id = ${organizationId} returning 1`,
      );
      if (required.length === 0) throw fail('NOT_FOUND', `${SET} not found`);
    }
    await query(em, sql`select identity.record_change(${organizationId}, 'agent', ${agentId}, 'updated', '{publish_requires}')`);
  });
}

/** The hour (UTC) of nightly runs. */
const HOUR = 2;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The first night after a time. */
function nextNight(after: Date): Date {
  const night = new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate(), HOUR));
  return night > after ? night : new Date(night.getTime() + DAY_MS);
}

/** The next night of a set that was due. The clock of the database, which says when a set is due, can be ahead of that of the process. */
export const nightAfterRun = (due: Date): Date => nextNight(due > clock.now() ? due : clock.now());
