import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { v7 as uuid } from 'uuid';
import { SOURCE } from './fixtures.ts';
import { bodyOf } from './load.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

/** Products per request, the maximum. */
const BATCH = 1_000;
const BATCHES = 5;

/** Products through sequential bulk creates, compared with `COPY` of the same rows into the same table, one commit per batch. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const size = bench.of(BATCH);
  const name = `bulk create, ${size.toLocaleString('en')} a request`;
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-bench-'));
  // The server, which may run as another user, reads this file.
  await chmod(folder, 0o755);
  try {
    const pairs = await interleave(
      bench.rounds,
      () => create(bench, size),
      () => copy(bench, size, folder),
      (text) => note(`${name}: ${text}`),
    );
    const peer = 'COPY of the same rows from a file of the server: nothing is checked, nothing travels';
    return [{ name, peer, pairs, unit: 'products/s', values: each(pairs, (ours, theirs) => ours / theirs) }];
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const bulk: Part = { organizations: ['bulk', 'copied'], measure };

let made = 0;
/** New products that no earlier batch contains. */
function batch(size: number) {
  return Array.from({ length: size }, () => {
    made += 1;
    return {
      ...{
        sku: `BULK-${made}`,
        name: `Norrvik Cordless drill ${made}`,
        manufacturer: 'Norrvik AB',
        mpn: `MPN-${made}`,
        uom: 'piece',
      },
      ...{ brand: 'Norrvik', category: 'Home > Cordless drill', externalId: `erp-${made}`, userProvidedRawDataSources: [SOURCE] },
      attributes: { color: { attributeId: null, attributeName: 'Color', attributeType: 'text', value: 'red' } },
    };
  });
}

async function create({ url, headers }: Bench, size: number): Promise<number> {
  const bodies = Array.from({ length: BATCHES }, () => JSON.stringify({ products: batch(size) }));
  return perSecond(size, bodies, (body) => bodyOf({ url: `${url}/api/bulk/products/bulk-create`, headers, body }));
}

const COLUMNS =
  'id, organization_id, sku, name, manufacturer, mpn, uom, brand, category, external_id, user_provided_raw_data_sources, attributes';

async function copy({ pool, organizations }: Bench, size: number, folder: string): Promise<number> {
  const files = Array.from({ length: BATCHES }, (_, n) => join(folder, `${n}.csv`));
  for (const file of files) await writeFile(file, rowsOf(organizations.copied!.id, size));
  return perSecond(size, files, (file) => pool.query(`copy catalog.products (${COLUMNS}) from '${file}' with (format csv)`));
}

const rowsOf = (organizationId: string, size: number) =>
  stringify(
    batch(size).map(({ userProvidedRawDataSources, attributes, ...text }) => [
      ...[uuid(), organizationId, ...Object.values(text)],
      ...[`{${JSON.stringify(userProvidedRawDataSources[0])}}`, JSON.stringify(attributes)],
    ]),
  );

async function perSecond<T>(size: number, batches: T[], write: (batch: T) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (const each of batches) await write(each);
  return (size * batches.length * 1_000) / (performance.now() - started);
}
