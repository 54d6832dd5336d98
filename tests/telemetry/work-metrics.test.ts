import { readFileSync } from 'node:fs';
import { freePort } from '../../start/servers/ports.ts';
import { type Catalog, openCatalog } from '../faults/kinds.ts';
import { openVictims, type Victims } from '../faults/system.ts';
import { serve } from '../support/http-server.ts';
import { until } from '../support/until.ts';

let victims: Victims;
let catalog: Catalog;
let port: number;
beforeAll(async () => {
  port = await freePort();
  // Only the worker serves metrics; the gateway would use the same port.
  victims = await openVictims({ LOG_LEVEL: 'info' }, undefined, { METRICS_PORT: String(port) });
  catalog = await openCatalog(victims.url(), victims.databaseUrl);
});
afterAll(() => victims.close());

/** The value of a metric of the worker; 0 if it has none with these labels. */
async function metric(name: string, labels: Record<string, string>): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && wanted.every((each) => line.includes(each)));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('a job counts its items, credits and model calls, and the worker also serves the metrics of Temporal', async () => {
  const receiver = await serve((_, response) => response.writeHead(204).end());
  await catalog.api.graphql('mutation ($input: NewWebhook!) { createWebhook(input: $input) { id } }', {
    input: { url: receiver.url, eventType: ['product_enrichment.completed'] },
  });
  const refused = `[[provider: 401 1 ${port}]]`;
  const rejected = `[[provider: 400 1 ${port}-content]]`;
  await catalog.enrich(
    await catalog.addProducts([
      { userProvidedRawDataSources: ['Color: red'] },
      { userProvidedRawDataSources: [`Color: red\n${refused}`] },
      { userProvidedRawDataSources: [`Color: red\n${rejected}`] },
    ]),
  );
  const kind = 'product-enrichment';
  await until(async () => (await metric('jobs_ended_total', { kind, status: 'completed_with_errors' })) === 1);
  expect(await metric('job_items_total', { kind, outcome: 'completed' })).toBe(1);
  expect(await metric('job_items_total', { kind, outcome: 'failed' })).toBe(2);
  expect(await metric('job_item_seconds_count', { kind })).toBe(3);
  expect(await metric('credits_spent_total', { kind })).toBe(1);
  expect(await metric('model_call_seconds_count', { api: 'chat', outcome: 'ok' })).toBeGreaterThanOrEqual(1);
  expect(await metric('model_call_seconds_count', { api: 'chat', outcome: 'refused' })).toBe(1);
  expect(await metric('model_call_seconds_count', { api: 'chat', outcome: 'rejected' })).toBe(1);
  expect(await metric('model_tokens_total', { direction: 'input' })).toBeGreaterThan(100);
  expect(await metric('model_tokens_total', { direction: 'output' })).toBeGreaterThan(5);
  expect(await metric('temporal_request', { service_name: 'temporal-core-sdk' })).toBeGreaterThan(0);
  expect(await metric('job_items_open', { kind })).toBe(0);
  await until(async () => (await metric('webhook_attempts_total', { surface: 'catalog', outcome: 'delivered' })) === 1);
  expect(await metric('webhook_attempt_seconds_count', { surface: 'catalog' })).toBe(1);
});

test('the guide for operators has every metric of the product', async () => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const guide = readFileSync('docs/operations/watch.md', 'utf8');
  const names = [...text.matchAll(/^# HELP (\S+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => !/^(temporal|process|nodejs)_/.test(name));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

test('the log line of a request names the organization, the operation and its duration', async () => {
  const { graphql, post } = catalog.api;
  await post(`/api/${catalog.slug}/products/get`, {});
  await graphql('query Dashboard { organization { name } }');
  await graphql('{ products { nodes { id } } catalogStats { products } }');
  const lines = () =>
    victims.gateway
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'Request completed');
  const operations = ['POST /api/{organization}/products/get', 'query Dashboard', 'query { products catalogStats }'];
  await until(() => operations.every((operation) => lines().some((line) => line.operation === operation)));
  for (const operation of operations)
    expect(lines().findLast((line) => line.operation === operation)).toMatchObject({
      organizationId: catalog.id,
      responseTime: expect.any(Number),
      res: { statusCode: 200 },
    });
});
