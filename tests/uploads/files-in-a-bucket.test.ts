import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openAgent } from '../agent/sources/support.ts';
import { type Catalog, openCatalog, refused } from '../catalog/catalog.ts';
import { ended } from '../catalog/enrichment.ts';
import { openVictims, type Victims } from '../faults/system.ts';
import { sendFiles } from '../support/form.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { csv, jpeg, pdf, sendForm, upload, webp } from './files.ts';
import { opening, sendRaw } from './raw.ts';
import { type Store, startStore } from './store.ts';

let store: Store;
let provider: Awaited<ReturnType<typeof startRecorder>>;
let processes: Victims;
let catalog: Catalog;
let temporary: string;
beforeAll(async () => {
  store = await startStore();
  provider = await startRecorder();
  temporary = await mkdtemp(join(tmpdir(), 'catalog-graph-forms-'));
  processes = await openVictims({ ...store.env, OPENAI_BASE_URL: provider.url, TMPDIR: temporary });
});
beforeEach(async () => {
  catalog = await openCatalog({ url: processes.url(), databaseUrl: processes.databaseUrl });
});
afterAll(async () => {
  await processes.close();
  await provider.close();
  await store.close();
  await rm(temporary, { recursive: true, force: true });
});

/** A proxy that records model requests. */
async function startRecorder() {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    asked.push(body.toString());
    const address = process.env.TEST_PROVIDER! + request.url!.replace('/v1', '');
    const answer = await fetch(address, { method: request.method, headers: { 'content-type': 'application/json' }, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const keys = () => store.keys(catalog.organization.id);
const emptied = (patience = 10_000) => until(async () => (await keys()).length === 0, patience);
const rows = async (statement: string) => (await database(processes.databaseUrl).query(statement, [catalog.organization.id])).rows;

test('uploads are stored in the bucket below their organization, and not in the database', async () => {
  const { body } = await upload(catalog, csv('SKU,Colour\nA-1,red\n'), jpeg);
  expect(body.success).toBe(true);
  expect(await keys()).toEqual([...body.uploadedFileIds].sort());
  const chunks = 'select from catalog.file_chunks c join catalog.files f on f.id = c.file_id where f.organization_id = $1';
  expect(await rows(chunks)).toEqual([]);
});

test('a knowledge source is read from the bucket and downloaded in parts, and its object goes with it', async () => {
  const agent = await openAgent({ url: processes.url(), databaseUrl: processes.databaseUrl });
  const content = `Lamps have a warranty of two years.\n${'They are sold in pairs. '.repeat(30_000)}`;
  const target = { ...agent.organization, url: processes.url() };
  const file = { name: 'lamps.txt', type: 'text/plain', content };
  const { body } = await sendFiles(target, `/agents/${agent.agentId}/source-files`, [file]);
  const { id } = body.data.sources[0];
  expect(await store.keys(agent.organization.id)).toHaveLength(1);
  expect((await agent.follow(id)).at(-1)).toMatchObject({ status: 'ready' });
  const headers = { 'x-api-key': agent.organization.key };
  expect(await (await fetch(`${processes.url()}${agent.path}/${id}/file`, { headers })).text()).toBe(content);
  const newer = await sendFiles(target, `/agents/${agent.agentId}/sources/${id}/file`, [
    { ...file, content: 'Lamps are sold out.' },
  ]);
  expect(newer.status).toBe(200);
  await until(async () => (await store.keys(agent.organization.id)).length === 1, 10_000);
  expect((await fetch(`${processes.url()}${agent.path}/${id}`, { method: 'DELETE', headers })).status).toBe(200);
  await until(async () => (await store.keys(agent.organization.id)).length === 0, 10_000);
});

test('a job of another process reads them, and the model gets the original images', async () => {
  const { body } = await sendForm(catalog, '/ai-import-jobs/create', [jpeg, webp]);
  expect(await ended(catalog, body.data.jobId)).toBe('completed');
  for (const { type, content } of [jpeg, webp]) {
    const picture = `data:${type};base64,${Buffer.from(content).toString('base64')}`;
    expect(provider.asked.filter((each) => each.includes(picture))).toHaveLength(1);
  }
});

test('an unreadable file is removed from the bucket', async () => {
  const { body } = await upload(catalog, { ...jpeg, name: 'lie.pdf', type: 'application/pdf' }, pdf([]));
  expect(body).toMatchObject({ success: false, uploadedFileIds: [] });
  await emptied();
});

test('a rejected form leaves nothing in the bucket', async () => {
  const answer = await sendForm(catalog, '/ai-import-jobs/create', [csv('SKU\nA-1\n'), pdf([])]);
  expect(answer.status).toBe(400);
  await emptied();
  expect(await rows('select from catalog.files where organization_id = $1')).toEqual([]);
});

test('files are removed with their organization', async () => {
  await upload(catalog, csv('SKU\nA-1\n'), jpeg, webp);
  expect(await keys()).toHaveLength(3);
  await rows('delete from identity.organizations where id = $1');
  await emptied();
  expect(await rows('select from catalog.files where organization_id = $1')).toEqual([]);
});

test('leftovers of a crashed upload are removed', async () => {
  await upload(catalog, csv('SKU\nA-1\n'));
  // First, because the gateway discards unready files after its answer, and a worker killed meanwhile keeps their objects for five minutes.
  await processes.worker.stop('SIGKILL');
  await rows(`update catalog.files set ready = false, created_at = now() - interval '2 days' where organization_id = $1`);
  await processes.startWorker();
  await emptied(60_000);
});

test('a client that disconnects during its file leaves nothing, including on the disk of the gateway', async () => {
  const forms = async () => (await readdir(temporary, { recursive: true })).filter((name) => basename(name).startsWith('form-'));
  const leaves = async () => (await forms()).length > 0;
  expect(await sendRaw(catalog, opening(csv('SKU\nA-1\n')), { length: 10_000, leaves })).toBeUndefined();
  await until(async () => (await forms()).length === 0);
  expect(await rows('select from catalog.files where organization_id = $1')).toEqual([]);
  expect(await keys()).toEqual([]);
});

test('while the store is unreachable an upload fails, stores nothing, and the logs do not contain the secret', async () => {
  await store.close();
  expect(await upload(catalog, csv('SKU\nA-1\n'))).toEqual(refused(503, 'Service Unavailable'));
  expect(await rows('select from catalog.files where organization_id = $1')).toEqual([]);
  expect(processes.gateway.output()).toContain('ECONNREFUSED');
  expect(processes.gateway.output() + processes.worker.output()).not.toContain(store.env.S3_SECRET_ACCESS_KEY);
});
