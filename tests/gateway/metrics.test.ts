import type { RequestContext } from 'compiled-gateway';
import type { OperationTypeNode } from 'graphql';
import { Registry } from 'prom-client';
import { metrics } from '../../gateway/telemetry/metrics.ts';

const member: RequestContext = { headers: {}, owner: 'o1' };
const anonymous: RequestContext = { headers: {}, owner: '' };

/** Metrics with at most 8 names of operations, and the names that have labels. */
function named() {
  const registry = new Registry();
  const observer = metrics(registry, { maxNames: 8 });
  const operation = (name: string) => ({ kind: 'query' as OperationTypeNode, name });
  return {
    run: (name: string, context: RequestContext) => observer.operation(operation(name), context, async () => ({ data: '{}' })),
    stream: (name: string, context: RequestContext) => observer.stream(operation(name), context),
    async labels() {
      const found = (await registry.metrics()).matchAll(/operation="(\w+)"/g);
      return [...new Set([...found].map(([, label]) => label))].toSorted();
    },
  };
}

test('callers without a tenant add at most a quarter of the names, so that operations of other callers still get labels', async () => {
  const { run, stream, labels } = named();
  for (let at = 0; at < 20; at++) await run(`Flood${at}`, anonymous);
  for (let at = 0; at < 20; at++) stream(`Wave${at}`, anonymous)();
  await run('Products', member);
  await run('Flood0', member);
  expect(await labels()).toEqual(['Flood0', 'Flood1', 'Products', 'graphql']);
});

test('without tenants, all callers share the names', async () => {
  const { run, labels } = named();
  for (let at = 0; at < 9; at++) await run(`Query${at}`, { headers: {} });
  expect(await labels()).toHaveLength(9);
});
