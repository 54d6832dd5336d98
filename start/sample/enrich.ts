import type { Api } from './api.ts';
import { showProgress } from './progress.ts';
import { type Item, tableOf } from './table.ts';

interface Update {
  jobProgress: { sequence: number; status: string; processedCount: number; failedCount: number; items: Item[] };
}

const FOLLOW = `subscription ($id: ID!, $after: Int) {
  jobProgress(id: $id, after: $after) {
    sequence status processedCount failedCount
    items { errorMessage enrichedData provenance { slug confidence sourceKind } product { sku name } }
  }
}`;

/** Enrich the sample products and show the progress live through the public subscription. */
export async function enrichSample(api: Api, productIds: string[]): Promise<void> {
  const input = { productIds, modelType: 'budget-v1', websearch: false };
  const { job } = await api.run<{ job: { id: string } }>(
    'mutation ($input: NewProductEnrichmentJob!) { job: createProductEnrichmentJob(input: $input) { id } }',
    { input },
  );
  const progress = showProgress('Enriching', productIds.length);
  const items: Item[] = [];
  for await (const { jobProgress } of api.follow<Update>(FOLLOW, job.id)) {
    items.push(...jobProgress.items);
    progress.update(jobProgress.processedCount, jobProgress.failedCount, jobProgress.items.at(-1)?.product?.sku ?? '');
  }
  progress.stop();
  process.stdout.write(`\n${tableOf(items)}\n`);
}
