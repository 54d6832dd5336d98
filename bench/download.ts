import { request } from 'undici';
import { growthOf } from './memory.ts';
import type { Line } from './report.ts';
import { each, interleave, pick, spread } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const organization = 'files';
const ROWS = 2_000;
const ATTRIBUTES = 20;
/** Consecutive downloads, so that leaked memory would accumulate. */
const DOWNLOADS = 10;

/** The CSV of a job, compared with a cursor piped through the same CSV writer. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const { url, key, processes, rounds, of, peer: start } = bench;
  const rows = of(ROWS);
  const path = `/api/${organization}/brand-enrichment-jobs/${await makeJob(bench, rows)}/download`;
  const beside = await start('download');
  const ours = () => downloads(url + path, key, processes.gateway);
  const peer = () => downloads(beside.url + path, key, beside.pid);
  if ((await textOf(url + path, key)) !== (await textOf(beside.url + path, key)))
    throw new Error('The peer does not give the same file');

  const name = `CSV of ${rows.toLocaleString('en')} × ${ATTRIBUTES}`;
  const figures = await interleave(rounds, ours, peer, (text) => note(`${name}: ${text}`));
  const plain = 'Fastify + pg cursor + csv-stringify, the same bytes, without keys';
  const line = (what: string, unit: string, figure: (of: Downloads) => number, compare: (a: number, b: number) => number): Line => {
    const pairs = pick(figures, figure);
    return { name: `${name}, ${what}`, peer: plain, pairs, unit, values: each(pairs, compare) };
  };
  return [
    {
      ...line(
        'first byte (ours)',
        'ms',
        ({ firstByte }) => firstByte,
        (a) => a,
      ),
      below: 20,
    },
    line(
      'last byte',
      'ms',
      ({ lastByte }) => lastByte,
      (a, b) => b / a,
    ),
    line(
      'speed',
      'MB/s',
      ({ bytes, lastByte }) => bytes / 1e3 / lastByte,
      (a, b) => a / b,
    ),
    line(
      `memory added by ${DOWNLOADS} in a row (the difference)`,
      'MB',
      ({ grown }) => grown,
      (a, b) => a - b,
    ),
  ];
}

export const download: Part = { organizations: [organization], measure };

interface Downloads {
  /** Median milliseconds from the request. */
  firstByte: number;
  lastByte: number;
  bytes: number;
  /** Memory growth of the process in megabytes. */
  grown: number;
}

async function downloads(url: string, key: string, pid: number): Promise<Downloads> {
  const { result, grown } = await growthOf(pid, async () => {
    const each: Omit<Downloads, 'grown'>[] = [];
    for (let n = 0; n < DOWNLOADS; n += 1) each.push(await once(url, key));
    return each;
  });
  const median = (figure: 'firstByte' | 'lastByte') => spread(result.map((one) => one[figure])).median;
  return { firstByte: median('firstByte'), lastByte: median('lastByte'), bytes: result[0]!.bytes, grown };
}

async function once(url: string, key: string): Promise<Omit<Downloads, 'grown'>> {
  const started = performance.now();
  let firstByte = 0;
  let bytes = 0;
  for await (const chunk of await bodyOf(url, key)) {
    firstByte ||= performance.now() - started;
    bytes += chunk.length;
  }
  return { firstByte, lastByte: performance.now() - started, bytes };
}

async function bodyOf(url: string, key: string) {
  const { statusCode, body } = await request(url, { headers: { 'x-api-key': key } });
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${await body.text()}`);
  return body;
}

const textOf = async (url: string, key: string) => (await bodyOf(url, key)).text();

const JOB = `
  insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, processed_count, success_count, input_columns, file_name, created_by_id,
                            completed_at)
  select uuidv7(), $1, 'brand-enrichment', 'completed', 'budget-v1', $2::int, $2::int, $2::int, array['name', 'country'], 'brands.csv', $1, now() returning id`;

const FIELDS = `
  insert into catalog.attributes (id, organization_id, subject, name, slug, type)
  select uuidv7(), $1, 'brand', 'Field ' || n, 'field-' || n, (array['text', 'number', 'boolean', 'multiselect'])[n % 4 + 1] from generate_series(1, $2::int) as n`;

/** Alternating values: a text that CSV must quote, a number, a boolean, a list. */
const ITEMS = `
  insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, subject, label, input_data, status, cost, completed_at, enriched_data)
  select gen_random_uuid(), $1, $2, r, r, 'brand', 'Brand ' || r, json_build_object('name', 'Brand ' || r, 'country', 'Sweden, "Norrland"'), 'completed', 1, now(),
         (select jsonb_object_agg('field-' || n, jsonb_build_object('attributeName', 'Field ' || n, 'attributeType', (array['text', 'number', 'boolean', 'multiselect'])[n % 4 + 1],
                 'value', (array[to_jsonb('made in small series, "by hand" ' || r), to_jsonb(r * 1.5), to_jsonb(true), jsonb_build_array('oak', 'steel')])[n % 4 + 1]))
            from generate_series(1, $4::int) as n)
    from generate_series(0, $3::int - 1) as r`;

async function makeJob({ pool, organizations }: Bench, rows: number): Promise<string> {
  const { id } = organizations[organization]!;
  await pool.query('delete from catalog.attributes where organization_id = $1', [id]);
  await pool.query(FIELDS, [id, ATTRIBUTES]);
  const { rows: jobs } = await pool.query<{ id: string }>(JOB, [id, rows]);
  await pool.query(ITEMS, [id, jobs[0]!.id, rows, ATTRIBUTES]);
  return jobs[0]!.id;
}
