import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { followJob } from '../support/follow.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { expectInvariants, type Followed, PATIENCE, processedOf, runningItems } from './invariants.ts';
import { type Catalog, openCatalog, openMarketplace, type Sample, samples } from './kinds.ts';
import { openWorkerVictim, type WorkerVictim } from './system.ts';

/** Items that finish before the kill. More are running then, and equally many are pending. */
const BEFORE = 4;
const run = randomUUID();
const LONG = PATIENCE + 60_000;
const gateOf = (kind: string) => `${run}-${kind}`;

let victims: WorkerVictim;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let testRun: Awaited<ReturnType<typeof startTestRun>>;
const TEST_RUN = 'test-run';
const jobs = new Map<string, Followed & { catalog: Catalog }>();

beforeAll(async () => {
  const { url } = await openMarketplace();
  victims = await openWorkerVictim({ SEARCH_URL: url });
  receiver = await startReceiver();
  const [started] = await Promise.all([startTestRun(), ...samples.map(startJob)]);
  testRun = started;
  // The provider blocks after this many requests, so that no job can finish.
  for (const { jobId } of jobs.values())
    await until(
      async () => (await processedOf(jobId, victims.databaseUrl)) > 0 && (await runningItems(jobId, victims.databaseUrl)) > 0,
      PATIENCE,
    );
  await until(async () => (await stateOf(testRun.id)).finished > 0 && (await stateOf(testRun.id)).running > 0, PATIENCE);
  await victims.worker.stop('SIGKILL');
  for (const { kind } of [...samples, { kind: TEST_RUN }]) await fetch(new URL(`/open/${gateOf(kind)}`, process.env.TEST_PROVIDER));
  await victims.startWorker();
}, LONG);
afterAll(async () => {
  await victims.close();
  await receiver.close();
});

/** A job with a subscriber and a webhook. */
async function startJob(sample: Sample) {
  const catalog = await openCatalog(victims.url, victims.databaseUrl, sample.attributes);
  const eventType = samples.flatMap(({ events }) => events);
  await catalog.api.post(`/api/${catalog.slug}/webhooks`, { action: 'create', url: receiver.url, eventType });
  const count = BEFORE + 2 * sample.width;
  const jobId = await sample.start(catalog, count, `[[provider: gate ${BEFORE} ${gateOf(sample.kind)}]]`);
  jobs.set(sample.kind, { catalog, jobId, count, followed: followJob({ url: () => victims.url, key: catalog.key, jobId }) });
}

/** A run of ten cases of an agent, three times each, against the draft and the published version. */
async function startTestRun() {
  const organization = await seedOrganization({ databaseUrl: victims.databaseUrl, credits: 1_000 });
  const { graphql } = caller(organization.key, { url: victims.url });
  const make = async (text: string, variables: object): Promise<string> => (await graphql(text, { ...variables })).made.id;
  const agentId = await make('mutation { made: createAgent(input: { name: "Zoe", maxRetrievalTokens: 0 }) { id } }', {});
  await make('mutation ($agentId: ID!) { made: openAgentDraft(agentId: $agentId) { id } }', { agentId });
  const set = await make('mutation ($agentId: ID!) { made: createTestSet(agentId: $agentId, input: { name: "Basics" }) { id } }', {
    agentId,
  });
  const messages = [`Who are you? [[provider: gate ${BEFORE} ${gateOf(TEST_RUN)}]]`];
  const cases = Array.from({ length: 10 }, (_, at) => ({ name: `Case ${at}`, messages, checks: [{ kind: 'not_calls' }] }));
  await graphql('mutation ($set: ID!, $text: String!) { importTestCases(testSetId: $set, format: json, text: $text) { added } }', {
    set,
    text: JSON.stringify(cases),
  });
  const id = await make('mutation ($set: ID!) { made: startTestRun(testSetId: $set, input: {}) { id } }', { set });
  return { id, organization };
}

async function stateOf(runId: string) {
  const { rows } = await database(victims.databaseUrl).query(
    `select r.status, r.finished, r.credits::float8 as credits, count(*) filter (where t.status = 'processing')::int as running,
            count(*) filter (where t.status = 'passed')::int as passed
       from agent.test_runs r join agent.test_results t on t.run_id = r.id where r.id = $1 group by r.id`,
    [runId],
  );
  return rows[0];
}

test(
  'a worker killed in the middle of a test run counts and charges each repeat once',
  async () => {
    const { id, organization } = testRun;
    await until(async () => (await stateOf(id)).status === 'completed', PATIENCE);
    expect(await stateOf(id)).toEqual({ status: 'completed', finished: 60, credits: 60, running: 0, passed: 60 });
    const { rows } = await database(victims.databaseUrl).query(
      `select o.credits::float8 as balance, (select count(*)::int from identity.credit_entries e where e.organization_id = o.id and e.reference like 'test%') as charges
         from identity.organizations o where o.id = $1`,
      [organization.id],
    );
    expect(rows).toEqual([{ balance: 940, charges: 60 }]);
  },
  LONG,
);

test.each(samples)(
  'a worker killed in the middle of $kind loses nothing and repeats nothing',
  async (sample) => {
    const { catalog, ...job } = jobs.get(sample.kind)!;
    await expectInvariants(sample, catalog, victims.databaseUrl, job);
    const told = async () => {
      const query = `select event, status from webhooks.deliveries where organization_id = $1 order by event`;
      return (await database(victims.databaseUrl).query(query, [catalog.id])).rows;
    };
    await until(async () => (await told()).every(({ status }) => status === 'delivered'));
    expect((await told()).map(({ event }) => event)).toEqual(sample.events);
  },
  LONG,
);
