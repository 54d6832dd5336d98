import { type EnumValue, enums } from '../../schema/enums.ts';
import { emitEnd, emitStart, emitStop } from '../../subgraphs/catalog/jobs/job-kind.ts';
import '../../subgraphs/catalog/job-kinds.ts';
import { transaction } from '../../platform/scope/index.ts';
import { bodiesOf } from '../support/deliveries.ts';
import { type Engine, openEngine } from './engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(() => engine.close());

const id = 'the-job';
const at = new Date('2026-11-21T12:00:00.000Z');
const time = at.toISOString();

/** Events of a job of this kind, for a webhook with all events. */
async function told(kind: EnumValue<'JobKind'>, status: string): Promise<unknown[]> {
  const { id: webhookId } = await engine.subscribe('http://127.0.0.1:9', {
    surface: 'catalog',
    events: [...enums.WebhookEvent.values],
  });
  await transaction(engine.scope, async (inner) => {
    await emitStart(inner, kind, id);
    if (status === 'stopped') await emitStop(inner, kind, id, at);
    else await emitEnd(inner, kind, { id, status, completedAt: at });
  });
  return (await bodiesOf(engine.pool, 'd.subscription_id = $1', [webhookId])).map((body) => {
    const { webhookId: own, event, payload, ...rest } = body;
    expect([own, rest]).toEqual([webhookId, {}]);
    return [event, payload];
  });
}

test.each([
  ['product-enrichment', 'product_enrichment'],
  ['product-validation', 'product_validation'],
] as const)('%s tells its start, its completion whatever came of it, and its stop', async (kind, name) => {
  const start = [`${name}.start`, { id }];
  for (const status of ['completed', 'completed_with_errors', 'failed'])
    expect(await told(kind, status)).toEqual([start, [`${name}.completed`, { id, status, completedAt: time }]]);
  expect(await told(kind, 'stopped')).toEqual([start, [`${name}.stopped`, { id, status: 'stopped', stoppedAt: time }]]);
});

test('market analysis sends no stop event, and no completion when the job failed', async () => {
  const start = ['product_market_analysis.start', { id }];
  for (const status of ['completed', 'completed_with_errors'])
    expect(await told('product-market-analysis', status)).toEqual([
      start,
      ['product_market_analysis.completed', { id, status, completedAt: time }],
    ]);
  for (const status of ['failed', 'stopped']) expect(await told('product-market-analysis', status)).toEqual([start]);
});

test('AI import sends start and stop events with jobId, and no completion', async () => {
  const start = ['ai_import.start', { jobId: id }];
  for (const status of ['completed', 'completed_with_errors', 'failed']) expect(await told('ai-import', status)).toEqual([start]);
  expect(await told('ai-import', 'stopped')).toEqual([start, ['ai_import.stopped', { id, status: 'stopped', stoppedAt: time }]]);
});

test.each(['brand-enrichment', 'product-category-enrichment', 'product-edit', 'product-export', 'product-import'] as const)(
  '%s sends no events',
  async (kind) => {
    for (const status of ['completed', 'failed', 'stopped']) expect(await told(kind, status)).toEqual([]);
  },
);

test('these tests cover every job kind', () => {
  const known = [
    'product-enrichment',
    'product-validation',
    'product-market-analysis',
    'ai-import',
    'brand-enrichment',
    'product-category-enrichment',
    'product-edit',
    'product-export',
    'product-import',
  ];
  expect(enums.JobKind.values.filter((kind) => !known.includes(kind))).toEqual([]);
});
