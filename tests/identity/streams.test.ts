import { type Caller, caller } from '../support/client.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { startSubgraph } from '../support/system.ts';

const SUBGRAPH_SECRET = 'known-to-the-processes-only';
const started: { stop(): Promise<void> }[] = [];
let apart: Gateway;
beforeAll(async () => {
  const catalog = await startSubgraph('catalog', { SUBGRAPH_SECRET });
  apart = await openGateway({ CATALOG_URL: catalog.addresses.url!, SUBGRAPH_SECRET });
  started.push(apart, catalog);
});
afterAll(async () => {
  for (const each of started) await each.stop();
});

/** An organization with a job that blocks after its first item, so that its stream stays open and idle. */
async function waitingJob() {
  const catalog = await seedCatalog();
  const { createProductEnrichmentJob } = await catalog.api.graphql(
    `mutation ($input: NewProductEnrichmentJob!) { createProductEnrichmentJob(input: $input, limits: { sample: 1 }) { id } }`,
    { input: { productIds: await catalog.addColored(2), modelType: 'budget-v1', websearch: false } },
  );
  const { id } = createProductEnrichmentJob;
  const last = await catalog.jobWhen(id, ({ processedCount, sequence }) => processedCount === 1 && sequence >= 4);
  return { ...catalog, jobId: id as string, sequence: last.sequence };
}

/** Messages of a stream until its end, without events. */
async function lastWords(api: Caller, jobId: string, opened: () => void) {
  const errors = [];
  for await (const result of api.subscribe('subscription ($id: ID!) { jobProgress(id: $id) { sequence } }', { id: jobId })) {
    opened();
    errors.push(...(result.errors ?? []));
  }
  return errors.map(({ message, extensions }) => `${extensions?.code}: ${message}`);
}

/** Open a stream and wait for its first event. */
async function open(api: Caller, jobId: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = lastWords(api, jobId, resolve);
  await promise;
  return { ended };
}

const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { deleted } }';
const makeKey = async (api: Caller) =>
  (await api.graphql('mutation { createApiKey(name: "stream") { key apiKey { id } } }')).createApiKey;

test.each(['in one process', 'with the subgraph in its own'])('revoking a key ends its streams and no other, %s', async (where) => {
  const url = where === 'in one process' ? process.env.TEST_URL! : apart.url;
  const { api, key, jobId, stop } = await waitingJob();
  const { key: other, apiKey } = await makeKey(api);
  const [mine, others] = await Promise.all([open(caller(key, { url }), jobId), open(caller(other, { url }), jobId)]);
  await api.graphql(revoke, { id: apiKey.id });
  expect(await others.ended).toEqual(['UNKNOWN_KEY: Invalid API Key']);
  await stop(jobId);
  expect(await mine.ended).toEqual([]);
});

test('disabling a key ends its streams', async () => {
  const { api, jobId } = await waitingJob();
  const { key, apiKey } = await makeKey(api);
  const stream = await open(caller(key), jobId);
  await api.graphql('mutation ($id: ID!) { disableApiKey(id: $id) { id } }', { id: apiKey.id });
  expect(await stream.ended).toEqual(['INVALID_KEY: Invalid API Key']);
});

test('a removed member gets no more events', async () => {
  const { api, jobId, addMember } = await waitingJob();
  const { id, key } = await addMember('member');
  const stream = await open(caller(key), jobId);
  await addMember('member');
  await api.graphql('mutation ($id: ID!) { removeMember(userId: $id) { deleted } }', { id });
  expect(await stream.ended).toEqual(['NO_ACCESS: Invalid API Key']);
});

test('a lower role ends the streams of a member, a higher one does not', async () => {
  const { api, jobId, addMember, stop } = await waitingJob();
  const [low, high] = await Promise.all([addMember('admin'), addMember('member')]);
  const [lowered, raised] = await Promise.all([open(caller(low.key), jobId), open(caller(high.key), jobId)]);
  const change = 'mutation ($id: ID!, $role: Role!) { updateMember(userId: $id, role: $role) { role } }';
  await api.graphql(change, { id: high.id, role: 'admin' });
  await api.graphql(change, { id: low.id, role: 'member' });
  expect(await lowered.ended).toEqual(['FORBIDDEN: The role in the organization was changed.']);
  await stop(jobId);
  expect(await raised.ended).toEqual([]);
});
