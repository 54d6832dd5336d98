import { SingleBar } from 'cli-progress';
import { isInteractive, LINE_MS } from '../process/terminal.ts';
import type { Api } from './sample-client.ts';

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

interface Progress {
  update(done: number, failed: number, latest: string): void;
  stop(): void;
}

/** Show the progress of a job: a bar in a terminal, and otherwise a line at most every 15 seconds. */
function showProgress(title: string, total: number): Progress {
  return isInteractive ? bar(title, total) : lines(title, total);
}

function bar(title: string, total: number): Progress {
  const single = new SingleBar({
    format: `  ${title} {bar} {value}/{total} products, {failed} failed  {latest}`,
    hideCursor: true,
    stream: process.stdout,
  });
  single.start(total, 0, { failed: 0, latest: '' });
  return {
    update: (done, failed, latest) => single.update(done, { failed, latest }),
    stop() {
      single.update({ latest: '' });
      single.stop();
    },
  };
}

function lines(title: string, total: number): Progress {
  let printedAt = 0;
  let line = '';
  const print = () => {
    process.stdout.write(`  ${title} ${line}\n`);
    printedAt = Date.now();
  };
  return {
    update(done, failed) {
      line = `${done}/${total} products, ${failed} failed`;
      if (Date.now() - printedAt >= LINE_MS) print();
    },
    stop: print,
  };
}

/** An item of a job, as the sample shows it. */
interface Item {
  errorMessage: string | null;
  enrichedData: Record<string, { attributeName: string; value: unknown }> | null;
  provenance: { slug: string; confidence: number; sourceKind: string | null }[] | null;
  product: { sku: string; name: string } | null;
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
