import { freePort } from '../../start/servers/ports.ts';
import { caller } from '../support/client.ts';
import { type Gateway } from '../support/gateway.ts';
import type { Running } from '../support/processes.ts';
import { seedOrganization } from '../support/seed.ts';
import { startGateway, startSubgraph } from '../support/system.ts';
import { readUntil, until } from '../support/until.ts';
import { ancestry, type Span, startCollector } from './collector.ts';

const SECRET = 'known-to-the-processes-only';

let collector: Awaited<ReturnType<typeof startCollector>>;
let siteContent: Running;
let gateway: Gateway;
let metricsPort: number;

beforeAll(async () => {
  collector = await startCollector();
  metricsPort = await freePort();
  const seen = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  siteContent = await startSubgraph('site-content', { SUBGRAPH_SECRET: SECRET, ...seen });
  const apart = { SITE_CONTENT_URL: siteContent.addresses.url!, SUBGRAPH_SECRET: SECRET };
  gateway = await startGateway({ ...apart, ...seen, METRICS_PORT: String(metricsPort) });
});
afterAll(async () => {
  await gateway?.stop();
  await siteContent?.stop();
  await collector?.close();
});

const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

/** Wait for the named spans of a trace, and return all its spans. */
async function traceOf(traceId: string, isWhole: (spans: Span[]) => boolean): Promise<Span[]> {
  const known = () => collector.spans.filter((span) => span.traceId === traceId);
  return readUntil(known, isWhole);
}

test('a request is one trace from its caller to the statements of the database, across processes', async () => {
  const { key, slug } = await seedOrganization();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  await caller(key, { url: gateway.url }).post(`/api/${slug}/products/get`, {}, headers);
  const query = 'query Where { organization { name sites { nodes { id } } } }';
  await caller(key, { url: gateway.url }).post('/graphql', { query }, headers);

  const isSql = ({ attributes }: Span) => attributes['db.system'] === 'postgresql';
  const spans = await traceOf(
    traceId,
    (all) =>
      all.some(({ name }) => name === 'query Where') && all.some((each) => isSql(each) && /site-content$/.test(each.service)),
  );
  const ways = spans.filter(isSql).map((span) => ancestry(spans, span).join(' < '));
  expect(ways).toContain('select < fetch catalog < POST /api/{organization}/products/get');
  expect(ways).toContain('select < fetch site-content < query Where');
  expect(spans.find(({ name }) => name === 'query Where')?.parentSpanId).toBe('00f067aa0ba902b7');
});

test('statement spans contain no values, and no span contains keys', async () => {
  const { key, slug } = await seedOrganization();
  await caller(key, { url: gateway.url }).post(`/api/${slug}/products/get`, { search: 'a secret wish' });
  await until(() => JSON.stringify(collector.spans).includes(' like '));
  const told = JSON.stringify(collector.spans);
  expect(told).not.toContain('a secret wish');
  expect(told).not.toContain(key);
});

test('a failed span has the code of its error, and not the message, which may repeat input', async () => {
  const { key, slug } = await seedOrganization();
  const headers = { traceparent: '00-7bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
  const create = () =>
    caller(key, { url: gateway.url }).post(`/api/${slug}/products/create`, { sku: 'ada@example.com', name: 'x' }, headers);
  await create();
  expect((await create()).body.message).toContain('ada@example.com');
  const isFailed = ({ name, failed }: Span) => failed && name.startsWith('POST');
  const spans = await traceOf('7bf92f3577b34da6a3ce929d0e0e4736', (all) => all.some(isFailed));
  expect(spans.find(isFailed)).toMatchObject({ status: { message: 'CONFLICT' } });
  expect(JSON.stringify(spans)).not.toContain('ada@example.com');
});

test('a rejection is a failed span, and counts under its code', async () => {
  const { key, slug } = await seedOrganization();
  const headers = { traceparent: '00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
  await caller(key, { url: gateway.url }).post(`/api/${slug}/products/none/get`, {}, headers);
  const operations = (spans: Span[]) => spans.filter(({ name }) => name.startsWith('POST'));
  const spans = await traceOf('5bf92f3577b34da6a3ce929d0e0e4736', (all) => operations(all).length > 0);
  expect(operations(spans).map(({ failed }) => failed)).toEqual([true]);
  expect(await metrics()).toMatch(
    /graph_operation_seconds_count\{kind="query",operation="POST \/api\/\{organization\}\/products\/[^"]+",outcome="NOT_FOUND"\} [1-9]/,
  );
});

test('metrics count by operation name, and only callers with access add names', async () => {
  const { key } = await seedOrganization();
  const query = (name: string) => ({ query: `query ${name} { organization { name } }` });
  await caller(key, { url: gateway.url }).post('/graphql', query('Dashboard17'));
  await caller('ck_unknown', { url: gateway.url }).post('/graphql', query('Invented17'));
  for (let n = 0; n < 110; n += 1) await caller(key, { url: gateway.url }).post('/graphql', query(`Many${n}`));
  const text = await metrics();
  expect(text).toMatch(/graph_operation_seconds_bucket\{le="0.001",kind="query",operation="Dashboard17",outcome="ok"\}/);
  expect(text).toMatch(/graph_operation_seconds_count\{kind="query",operation="graphql",outcome="ok"\} 1[0-9]/);
  expect(text).not.toContain('Many109');
  expect(text).toMatch(/graph_fetch_seconds_count\{subgraph="site-content",outcome="ok"\} [1-9]/);
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).not.toContain('Invented17');
});

test('metrics have the age and length of each queue', async () => {
  const text = await metrics();
  for (const queue of ['outbox', 'webhook_deliveries'])
    expect(text).toMatch(new RegExp(`^queue_length\\{queue="${queue}"\\} \\d`, 'm'));
  expect(text).toMatch(/^queue_oldest_seconds\{queue="outbox"\} \d/m);
  expect(text).toMatch(/^queue_oldest_seconds\{queue="webhook_deliveries"\} \d/m);
});

test('metrics are on their own port only', async () => {
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
  expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).toBe(404);
});
