import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../start/servers/postgres.ts';
import { openAgent } from '../agent/sources/support.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { type Gateway } from '../support/gateway.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { startGateway, startWorker } from '../support/system.ts';
import { until } from '../support/until.ts';

let dataDir: string;
let server: Postgres;
let gateway: Gateway;
const taskQueue = `jobs-${randomUUID()}`;
const env = () => ({ DATABASE_URL: server.url, TASK_QUEUE: taskQueue });
let organization: Awaited<ReturnType<typeof seedOrganization>>;

const start = async () => {
  server = await startPostgres({ dataDir });
};
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-away-'));
  await start();
  gateway = await startGateway(env());
  organization = await seedOrganization({ databaseUrl: server.url });
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Seen {
  status: number;
  body: string;
  retryAfter: string | null;
  ms: number;
}

async function send(path: string, body: string | FormData, key = organization.key): Promise<Seen> {
  const begun = Date.now();
  const json = typeof body === 'string' && { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers: { 'x-api-key': key, ...json }, body });
  return {
    status: answer.status,
    body: await answer.text(),
    retryAfter: answer.headers.get('retry-after'),
    ms: Date.now() - begun,
  };
}

const form = () => {
  const files = new FormData();
  files.append('files', new Blob(['SKU\nA-1\n'], { type: 'text/csv' }), 'a.csv');
  return files;
};
const graphql = (query: string) => send('/graphql', JSON.stringify({ query }));
const product = () => JSON.stringify({ sku: randomBytes(8).toString('hex'), name: 'Drill' });
/** An uncached key. */
const unknownKey = () => `ck_${randomBytes(32).toString('base64url')}`;
const api = (path: string) => `/api/${organization.slug}${path}`;

/** Send requests of every kind, each kind sequentially, until `stop` is called. */
function keepAsking() {
  const seen: Seen[] = [];
  let over = false;
  const callers = [
    () => send(api('/products/get'), '{}'),
    () => send(api('/products/create'), product()),
    () => send(api('/products/get'), '{}', unknownKey()),
    () => send(api('/enrichment-files/upload'), form()),
    () => graphql('{ me { id } }'),
    () => graphql('mutation { createBrand(name: "Acme") { created } }'),
  ];
  const asking = callers.map(async (ask) => {
    while (!over) {
      seen.push(await ask());
      await sleep(30);
    }
  });
  return {
    seen,
    async stop() {
      over = true;
      await Promise.all(asking);
    },
  };
}

const isAnswered = async () => (await send(api('/products/create'), product())).status === 200;

function expectOnlyUnavailable(seen: Seen[]) {
  // An unknown key gets 403 while the database is up.
  const refused = seen.filter(({ status }) => status !== 200 && status !== 403);
  expect(refused.length).toBeGreaterThan(0);
  for (const { body, ...each } of refused) {
    expect({ body, ...each }).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/) });
    const { errors, message } = JSON.parse(body);
    expect(errors?.[0].extensions.code ?? message).toBe(errors ? 'UNAVAILABLE' : 'Service Unavailable');
  }
}

test.each<[string, () => Promise<void>]>([
  ['stopped', () => server.stop()],
  ['killed', async () => void process.kill(server.pid, 'SIGKILL')],
])('while PostgreSQL is %s, every request gets 503 with Retry-After', async (_, end) => {
  expect(await isAnswered()).toBe(true);
  const asking = keepAsking();
  await sleep(300);
  await end();
  await sleep(2_000);
  await start();
  await until(isAnswered);
  await asking.stop();
  expectOnlyUnavailable(asking.seen);
});

test('a frozen PostgreSQL yields 503 within seconds, and the service recovers when it resumes', async () => {
  const { rows } = await database(server.url).query<{ pid: number }>('select pid from pg_stat_activity');
  const pids = [server.pid, ...rows.map(({ pid }) => pid)];
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name);
  };
  signal('SIGSTOP');
  const ask = () =>
    Promise.all([
      ...Array.from({ length: 30 }, () => send(api('/products/create'), product())),
      send(api('/products/get'), '{}'),
      graphql('{ me { id organizations: __typename } }'),
      send(api('/products/get'), '{}', unknownKey()),
    ]);
  const readiness = async () => (await (await fetch(`${gateway.url}/readyz`)).json()) as unknown;
  const [seen, readyBefore, seenLater, readyLater] = await (async () => {
    const before = await Promise.all([ask(), readiness()]);
    return [...before, await ask(), await readiness()] as const;
  })().finally(() => signal('SIGCONT'));
  for (const each of [seen, seenLater]) expectOnlyUnavailable(each);
  for (const each of [readyBefore, readyLater]) expect(each).toEqual({ status: 'unavailable', missing: ['database'] });
  const slowest = (all: Seen[]) => Math.max(...all.map(({ ms }) => ms));
  // Without a limit, they would wait until the connections are lost after minutes.
  expect(slowest(seen)).toBeLessThan(60_000);
  // Nobody waits any more once the process knows.
  expect(slowest(seenLater)).toBeLessThan(slowest(seen) / 2);
  await until(isAnswered);
});

test('while PostgreSQL has no free connection, callers get 503 with Retry-After', async () => {
  const held: pg.Client[] = [];
  const hold = async () => {
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    held.push(client);
  };
  const holdAll = async () => {
    for (;;) if ((await Promise.allSettled([hold(), hold(), hold(), hold()])).some(({ status }) => status === 'rejected')) return;
  };
  try {
    await hold();
    const others = 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> all($1) and usename is not null';
    await held[0]!.query(others, [held.map((client) => (client as pg.Client & { processID: number }).processID)]);
    await holdAll();
    expectOnlyUnavailable(await Promise.all([send(api('/products/get'), '{}'), send(api('/products/create'), product())]));
  } finally {
    await Promise.all(held.map((client) => client.end()));
  }
  await until(isAnswered);
});

/** The attempts of the activities of a workflow that completed, by their names. */
async function attemptsOf(workflowId: string): Promise<[string, number][]> {
  const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS! });
  const { events = [] } = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
  await connection.close();
  const names = new Map(
    events!.map(({ eventId, activityTaskScheduledEventAttributes: scheduled }) => [String(eventId), scheduled?.activityType?.name]),
  );
  return events!.flatMap(({ activityTaskStartedEventAttributes: started }) =>
    started ? [[names.get(String(started.scheduledEventId))!, started.attempt!]] : [],
  );
}

test('an outage of PostgreSQL costs sources and items of jobs no attempt', async () => {
  const worker = await startWorker(env());
  const [catalog, agent] = [
    await seedCatalog(undefined, { credits: 100, url: gateway.url, databaseUrl: server.url }),
    await openAgent({ url: gateway.url, databaseUrl: server.url }),
  ];
  const provider = async (path: string) => (await fetch(new URL(path, process.env.TEST_PROVIDER))).text();
  const gate = randomUUID();
  const directive = `[[provider: gate 0 ${gate}]]`;
  // As many as a job sends to a provider of which nothing is known.
  const jobId = await catalog.start(await catalog.addColored(2, directive));
  const sourceId = await agent.addSource({ type: 'text', name: 'Text', text: `The parrot talks. ${directive}` });
  await until(async () => Number(await provider(`/seen/${gate}`)) === 3);
  await server.stop();
  await provider(`/open/${gate}`);
  // The responses arrive while the database is away.
  await sleep(3_000);
  await start();
  await until(isAnswered);
  expect(await catalog.end(jobId)).toMatchObject({ status: 'completed', successCount: 2 });
  expect((await agent.follow(sourceId)).at(-1)).toMatchObject({ status: 'ready', chunkCount: 1 });
  const attempts = [...(await attemptsOf(`product-enrichment/${jobId}`)), ...(await attemptsOf(`source/${sourceId}`))];
  const counted = attempts.filter(([name]) => ['processItem', 'embedChunks'].includes(name));
  expect(counted.sort()).toEqual([['embedChunks', 1], ...Array(2).fill(['processItem', 1])]);
  await worker.stop();
});
