import { parse } from 'csv-parse';
import { v7 as uuid } from 'uuid';
import { graphql, jobEnded } from './jobs.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const ROWS = 100_000;
/** Rows of one insert of the peer. */
const BATCH = 1_000;
const HEADER = ['SKU', 'Name', 'Brand', 'Category', 'Part number', 'Unit', 'Color', 'Description'];

/**
 * Rows per second of a plain product file whose columns are mapped: upload, import, and the job that makes the products. Compared with a
 * program that parses the same file and inserts the rows into the same table, without a review, an account or checks.
 */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const count = bench.of(ROWS);
  const name = `import of ${count.toLocaleString('en')} rows`;
  const attribute = await graphql(
    bench,
    'bulk',
    'mutation { createAttribute(input: { name: "Shade", slug: "shade", type: text }) { id } }',
  );
  const pairs = await interleave(
    bench.rounds,
    () => importFile(bench, fileOf(count), attribute.createAttribute.id, note),
    () => insertFile(bench, fileOf(count)),
    (text) => note(`${name}: ${text}`),
  );
  const perSecond = { ours: pairs.ours.map((ms) => (count * 1_000) / ms), peer: pairs.peer.map((ms) => (count * 1_000) / ms) };
  const peer = 'csv-parse and inserts of 1,000 rows into the same table: no review, no account, nothing is checked';
  const values = each(perSecond, (ours, theirs) => ours / theirs);
  return [{ name, peer, pairs: perSecond, unit: 'rows/s', values }];
}

export const imports: Part = { organizations: ['bulk', 'copied'], measure };

let files = 0;

/** A file whose products no earlier one contains. */
function fileOf(count: number): string {
  files += 1;
  const rows = Array.from({ length: count }, (_, n) =>
    [
      ...[`F${files}-${n}`, `Norrvik Cordless drill ${n}`, 'Norrvik', 'Home > Cordless drill', `MPN-${files}-${n}`, 'piece'],
      ...[['red', 'blue', 'green'][n % 3], `A sturdy piece for daily use, made in small series of ${n}.`],
    ].join(';'),
  );
  return `${HEADER.join(';')}\n${rows.join('\n')}\n`;
}

const IMPORT = `mutation ($file: ID!, $mapping: [ImportTableMapping!]) {
  job: createAiImportJob(input: { uploadedFileIds: [$file] }, importMapping: $mapping) { id }
}`;
const FINALIZE = 'mutation ($id: ID!) { job: createProductImportJob(jobId: $id, all: true) { id } }';

/** Milliseconds from the upload to the last product. */
async function importFile(bench: Bench, text: string, attributeId: string, note: Note): Promise<number> {
  const { key, url } = bench;
  const form = new FormData();
  form.append('files', new Blob([text], { type: 'text/csv' }), 'list.csv');
  const start = performance.now();
  const sent = await fetch(`${url}/api/bulk/enrichment-files/upload`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  const { uploadedFileIds, errors } = (await sent.json()) as { uploadedFileIds: string[]; errors?: unknown };
  const [file] = uploadedFileIds;
  if (!file) throw new Error(JSON.stringify(errors));
  const columns = [
    { column: 'SKU', field: 'sku' },
    { column: 'Name', field: 'name' },
    { column: 'Brand', field: 'brand' },
    { column: 'Category', field: 'category' },
    { column: 'Part number', field: 'mpn' },
    { column: 'Unit', field: 'uom' },
    { column: 'Color', attributeId },
    { column: 'Description' },
  ];
  const uploaded = performance.now();
  const { job } = await graphql(bench, 'bulk', IMPORT, { file, mapping: [{ fileId: file, columns }] });
  await jobEnded(bench, job.id);
  const read = performance.now();
  const made = await graphql(bench, 'bulk', FINALIZE, { id: job.id });
  await jobEnded(bench, made.job.id);
  const end = performance.now();
  const seconds = [uploaded - start, read - uploaded, end - read].map((ms) => (ms / 1_000).toFixed(1));
  note(`upload ${seconds[0]} s, rows read ${seconds[1]} s, products ${seconds[2]} s`);
  return end - start;
}

const INSERT = `insert into catalog.products
    (id, organization_id, sku, name, brand, category, mpn, uom, attributes, user_provided_raw_data_sources)
  select id, $1, sku, name, brand, category, mpn, uom,
         jsonb_build_object('color', jsonb_build_object('attributeId', null, 'attributeName', 'Color', 'attributeType', 'text', 'value', color)),
         array[description]
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
      as given (id, sku, name, brand, category, mpn, uom, color, description)`;

async function insertFile({ pool, organizations }: Bench, text: string): Promise<number> {
  const organizationId = organizations.copied!.id;
  const start = performance.now();
  const parser = parse(text, { delimiter: ';', from_line: 2 });
  let rows: string[][] = [];
  const flush = async () => {
    const columns = HEADER.map((_, at) => rows.map((row) => row[at]));
    await pool.query(INSERT, [organizationId, rows.map(() => uuid()), ...columns]);
    rows = [];
  };
  for await (const row of parser) {
    rows.push(row);
    if (rows.length === BATCH) await flush();
  }
  if (rows.length > 0) await flush();
  return performance.now() - start;
}
