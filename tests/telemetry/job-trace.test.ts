import { type Catalog, openCatalog } from '../faults/kinds.ts';
import { openVictims, type Victims } from '../faults/system.ts';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { ancestry, type Span, startCollector } from './collector.ts';

const TRACE = '6bf92f3577b34da6a3ce929d0e0e4736';
/** Two more than belong to the trace of a job. */
const ITEMS = 102;
const EVENTS = ['product_enrichment.start', 'product_enrichment.completed'];
const CREATE = 'POST /api/{organization}/product-enrichment-jobs/create';

let collector: Awaited<ReturnType<typeof startCollector>>;
let receiver: Receiver;
let victims: Victims;
let catalog: Catalog;

beforeAll(async () => {
  collector = await startCollector();
  receiver = await startReceiver();
  victims = await openVictims({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' });
  catalog = await openCatalog(victims.url(), victims.databaseUrl);
  await catalog.api.post(`/api/${catalog.slug}/webhooks`, { action: 'create', url: receiver.url, eventType: EVENTS });
  const productIds = await catalog.addColored(ITEMS);
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  const body = { productIds, modelType: 'budget-v1', websearch: false };
  const created = await catalog.api.post(`/api/${catalog.slug}/product-enrichment-jobs/create`, body, headers);
  await catalog.end(created.body.data.jobId);
  await receiver.waitFor(EVENTS.length);
  await until(() => named('deliver ').length === EVENTS.length && named('run runJob').length === 1);
});
afterAll(async () => {
  await victims?.close();
  await receiver?.close();
  await collector?.close();
});

const inTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
const named = (start: string) => inTrace().filter(({ name }) => name.startsWith(start));
const paths = (spans: Span[]) => [...new Set(spans.map((span) => ancestry(inTrace(), span).join(' < ')))];
const isSql = ({ attributes }: Span) => attributes['db.system'] === 'postgresql';

test('a job is one trace from the REST request to the workflow, its activities, the model and the database', () => {
  const run = `run runJob < start runJob < fetch catalog < ${CREATE}`;
  expect(paths(named('chat '))).toEqual([`chat budget-v1 < processItem < ${run}`]);
  expect(paths(inTrace().filter(isSql))).toEqual(
    expect.arrayContaining([`insert < fetch catalog < ${CREATE}`, `with < processItem < ${run}`, `update < finishJob < ${run}`]),
  );
  expect(new Set(inTrace().map(({ service }) => service))).toEqual(new Set(['catalog-graph gateway', 'catalog-graph worker']));
});

test('the deliveries of the events belong to the trace', () => {
  const activities = { 'product_enrichment.start': 'beginJob', 'product_enrichment.completed': 'finishJob' };
  for (const [event, activity] of Object.entries(activities)) {
    const path = paths(named(`deliver ${event}`)).join();
    expect(path).toMatch(new RegExp(`^deliver ${event} < ${activity} < run runJob < .* < ${CREATE.replace(/[{}]/g, '.')}$`));
  }
});

test('items after the first hundred have traces of their own, linked to the job', () => {
  expect(named('processItem')).toHaveLength(100);
  const rest = collector.spans.filter(({ name, traceId }) => name === 'processItem' && traceId !== TRACE);
  expect(rest.map(({ links }) => links?.map(({ traceId }) => traceId))).toEqual([[TRACE], [TRACE]]);
});

test('no span contains a key, a secret or a value', () => {
  const text = JSON.stringify(collector.spans);
  const isIn = (secret: string) => text.includes(secret);
  expect([catalog.key, 'Color: red', receiver.url, catalog.id].filter(isIn)).toEqual([]);
});
