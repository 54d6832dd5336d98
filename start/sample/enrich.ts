import { SingleBar } from 'cli-progress';
import type { Api } from './api.ts';

interface Item {
  errorMessage: string | null;
  enrichedData: Record<string, { attributeName: string; value: unknown }> | null;
  provenance: { slug: string; confidence: number; sourceKind: string | null }[] | null;
  product: { sku: string; name: string } | null;
}

interface Update {
  jobProgress: { sequence: number; status: string; processedCount: number; failedCount: number; items: Item[] };
}

const FOLLOW = `subscription ($id: ID!) {
  jobProgress(id: $id) {
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
  const bar = new SingleBar({
    format: '  Enriching {bar} {value}/{total} products, {failed} failed  {sku}',
    hideCursor: true,
    stream: process.stdout,
    noTTYOutput: true,
    notTTYSchedule: 500,
  });
  bar.start(productIds.length, 0, { failed: 0, sku: '' });
  const items: Item[] = [];
  for await (const { jobProgress } of api.follow<Update>(FOLLOW, { id: job.id })) {
    items.push(...jobProgress.items);
    bar.update(jobProgress.processedCount, { failed: jobProgress.failedCount, sku: jobProgress.items.at(-1)?.product?.sku ?? '' });
  }
  bar.update({ sku: '' });
  bar.stop();
  process.stdout.write(`\n${tableOf(items)}\n`);
}

const SHOWN = 14;

/** Prints some new values of each product with confidence and source. */
function tableOf(items: Item[]): string {
  const rows = items
    .filter(({ product }) => product)
    .map(({ product, enrichedData, provenance, errorMessage }) => {
      const found = Object.entries(enrichedData ?? {}).filter(([, { value }]) => value !== null);
      const origins = new Map(provenance?.map((each) => [each.slug, each]));
      const confidence = found.reduce((sum, [slug]) => sum + (origins.get(slug)?.confidence ?? 0), 0) / (found.length || 1);
      const kinds = [...new Set(found.map(([slug]) => origins.get(slug)?.sourceKind ?? 'record'))].join(', ');
      const shown = found.filter(([, { value }]) => String(value).length < 40 && !String(value).includes('<'));
      const values = shown.slice(0, 3).map(([, { attributeName, value }]) => `${attributeName}: ${value}`);
      const [sku, name] = [product!.sku, product!.name];
      return [
        sku,
        name,
        errorMessage ?? `${found.length}`,
        errorMessage ? '' : `${Math.round(confidence)} %`,
        kinds,
        values.join(' · '),
      ];
    });
  const more = rows.length > SHOWN ? [`  … and ${rows.length - SHOWN} more`] : [];
  return [columns([['SKU', 'Product', 'Filled in', 'Confidence', 'Source', 'For example'], ...rows.slice(0, SHOWN)]), ...more].join(
    '\n',
  );
}

const WIDTHS = [12, 34, 10, 11, 14, 70];

const columns = (rows: string[][]) =>
  rows
    .map(
      (row) =>
        `  ${row
          .map((cell, index) => cut(cell, WIDTHS[index]!))
          .join(' ')
          .trimEnd()}`,
    )
    .join('\n');

const cut = (text: string, width: number) => (text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width));
