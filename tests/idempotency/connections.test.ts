import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { sendFiles } from '../support/form.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';
import { csv, png } from '../uploads/files.ts';

const once = () => ({ 'idempotency-key': randomUUID() });
const MANY = 24;
// Files of one organization are parsed sequentially, each in a separate thread.
const LONG = 180_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await openGateway({ DATABASE_POOL: '3', OPERATION_TIMEOUT: '180' });
});
afterAll(() => gateway.stop());

async function open() {
  const organization = { ...(await seedOrganization()), url: gateway.url };
  const api = caller(organization.key, { url: gateway.url });
  const upload = (headers: Record<string, string>, name = 'list.csv') =>
    sendFiles(organization, '/enrichment-files/upload', [csv('SKU\nA-1\n', name)], { headers });
  return { ...organization, organization, api, upload };
}

const statuses = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))];

test(
  'many uploads at once, each with a key of its own, are all answered by a gateway of three connections',
  async () => {
    const { upload, api, organization } = await open();
    const uploads = Array.from({ length: MANY }, (_, n) => upload(once(), `${n}.csv`));
    const imports = Array.from({ length: 4 }, () =>
      sendFiles(organization, '/ai-import-jobs/create', [png], { fields: { modelType: 'budget-v1' }, headers: once() }),
    );
    // Other requests are served while files wait.
    expect((await api.get('/readyz')).status).toBe(200);
    expect((await api.post(`/api/${organization.slug}/products/get`)).status).toBe(200);
    const answers = await Promise.all([...uploads, ...imports]);
    expect(statuses(answers)).toEqual([200]);
    expect(new Set(answers.slice(0, MANY).map(({ body }) => body.uploadedFileIds[0])).size).toBe(MANY);
    expect((await api.get('/readyz')).status).toBe(200);
  },
  LONG,
);

test(
  'many repeats of one slow request wait without holding connections',
  async () => {
    const { upload, api, slug } = await open();
    const headers = once();
    const repeats = Promise.all(Array.from({ length: 12 }, () => upload(headers)));
    expect((await api.post(`/api/${slug}/products/get`)).status).toBe(200);
    const answers = await repeats;
    expect(statuses(answers)).toEqual([200]);
    for (const { body } of answers) expect(body).toEqual(answers[0]!.body);
  },
  LONG,
);

test(
  'webhooks of names that do not resolve hold no connection while they are looked up',
  async () => {
    const { api, slug } = await open();
    const create = (n: number) =>
      api.post(
        `/api/${slug}/webhooks`,
        { action: 'create', url: `https://h${n}.example/`, eventType: ['product_enrichment.completed'] },
        once(),
      );
    const answers = await Promise.all(Array.from({ length: MANY }, (_, n) => create(n)));
    expect(statuses(answers).sort()).toEqual([200, 400]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  },
  LONG,
);

test(
  'an upload of a disconnected caller leaves the queue, and releases its idempotency key',
  async () => {
    const { upload, organization } = await open();
    const headers = once();
    const gone = new AbortController();
    const form = new FormData();
    form.append('files', new Blob(['SKU\nA-1\n'], { type: 'text/csv' }), 'list.csv');
    // Queued behind these, so that the caller disconnects first.
    const others = Array.from({ length: 20 }, () => upload(once()));
    const left = fetch(`${gateway.url}/api/${organization.slug}/enrichment-files/upload`, {
      method: 'POST',
      headers: { 'x-api-key': organization.key, ...headers },
      body: form,
      signal: gone.signal,
    });
    setTimeout(() => gone.abort(), 150);
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    expect((await upload(headers)).status).toBe(200);
    expect(statuses(await Promise.all(others))).toEqual([200]);
  },
  LONG,
);
