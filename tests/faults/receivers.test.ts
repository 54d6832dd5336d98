import type { ServerResponse } from 'node:http';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { type Catalog, openCatalog } from './kinds.ts';
import { openWorkerVictim, type WorkerVictim } from './system.ts';

interface Delivery {
  event: string;
  status: string;
  attempts: number;
  responseStatus: number | null;
  lastError: string | null;
}

const EVENTS = ['product_enrichment.start', 'product_enrichment.completed'];
const LOG = `query ($id: ID!) {
  webhookDeliveries(webhookId: $id) { nodes { event status attempts responseStatus lastError } }
}`;
const tooLate = 'The address took too long to answer.';
const redirects = expect.stringMatching(/redirects to another/);

/** Behavior of receivers, and the resulting log entry. */
const misdeeds: Record<string, { reply: (response: ServerResponse, secret: string) => void; seen: Partial<Delivery> }> = {
  'never answers': { reply: () => {}, seen: { responseStatus: null, lastError: tooLate } },
  'never ends its answer': {
    reply: (response) => void response.writeHead(200, { 'content-length': 100 }).write('o'),
    seen: { lastError: tooLate },
  },
  'answers 500': {
    reply: (response) => void response.writeHead(500).end('broken'),
    seen: { responseStatus: 500, lastError: 'The receiver answered with status 500.' },
  },
  'redirects to a private address': {
    reply: (response, secret) => void response.writeHead(302, { location: `${secret}/admin` }).end(),
    seen: { responseStatus: 302, lastError: redirects },
  },
  'redirects to the metadata of a cloud': {
    reply: (response) => void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    seen: { responseStatus: 307, lastError: redirects },
  },
  'cuts the line': { reply: (response) => void response.destroy(), seen: { lastError: 'The address could not be reached.' } },
};
const names = Object.keys(misdeeds);

let victims: WorkerVictim;
let catalog: Catalog;
let good: Receiver;
/** On a private address that no operator listed. */
let secret: Receiver;
const open: Receiver[] = [];
const webhooks = new Map<string, string>();

beforeAll(async () => {
  secret = await startReceiver();
  good = await startReceiver();
  for (const { reply } of Object.values(misdeeds)) open.push(await startReceiver((_, response) => reply(response, secret.url)));
  const listed = [good, ...open].map(({ url }) => new URL(url).host).join(',');
  victims = await openWorkerVictim({ OUTBOUND_ALLOW_HOSTS: listed });
  catalog = await openCatalog(victims.url, victims.databaseUrl);
  for (const [at, name] of names.entries()) webhooks.set(name, await subscribe(open[at]!.url));
  webhooks.set('good', await subscribe(good.url));
  const { job } = await catalog.enrich(await catalog.addColored(3));
  expect(job).toMatchObject({ status: 'completed', successCount: 3 });
});
afterAll(async () => {
  await victims.close();
  for (const receiver of [secret, good, ...open]) await receiver.close();
});

async function subscribe(url: string): Promise<string> {
  const body = { action: 'create', url, eventType: EVENTS };
  return (await catalog.api.post(`/api/${catalog.slug}/webhooks`, body)).body.data.webhook.id;
}

const deliveries = async (name: string): Promise<Delivery[]> =>
  (await catalog.api.graphql(LOG, { id: webhooks.get(name) })).webhookDeliveries.nodes;

test('a job does not wait for its receivers, and hanging receivers do not delay others', async () => {
  await until(async () => (await deliveries('good')).every(({ status }) => status === 'delivered'));
  expect(good.calls.map(({ body }) => body.event).sort()).toEqual([...EVENTS].sort());
});

test.each(names)('a receiver that %s fails after one attempt, and the log has the reason', async (name) => {
  await until(async () => (await deliveries(name)).every(({ status }) => status !== 'pending'));
  const log = await deliveries(name);
  expect(log).toHaveLength(EVENTS.length);
  for (const delivery of log) expect(delivery).toMatchObject({ status: 'failed', attempts: 1, ...misdeeds[name]!.seen });
  expect(open[names.indexOf(name)]!.calls).toHaveLength(EVENTS.length);
});

test('unlisted private hosts were never called', () => {
  expect(secret.calls).toEqual([]);
});
