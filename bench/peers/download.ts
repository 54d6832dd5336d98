import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { fastify } from 'fastify';
import pg from 'pg';
import { runProcess } from '../../start/process/run.ts';
import { servePeer } from './serve-peer.ts';

type Value = string | number | boolean | string[] | null;
interface Row {
  input_data: Record<string, string>;
  status: string;
  error_message: string | null;
  enriched_data: Record<string, { value: Value }>;
}

const { DATABASE_URL } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });

const JOB = 'select organization_id as "organizationId", input_columns as inputs from catalog.jobs where id = $1';
const ATTRIBUTES = `select slug, name from catalog.attributes where organization_id = $1 and subject = 'brand' order by created_at, id`;
const ROWS = `declare rows cursor for
  select input_data, status, error_message, enriched_data from catalog.job_items where job_id = $1 order by ordinal`;

const cell = (value: Value | undefined) => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return Array.isArray(value) ? value.join(';') : String(value);
};

async function* lines(jobId: string): AsyncGenerator<string[]> {
  const { rows: jobs } = await pool.query<{ organizationId: string; inputs: string[] }>(JOB, [jobId]);
  const { organizationId, inputs } = jobs[0]!;
  const { rows: attributes } = await pool.query<{ slug: string; name: string }>(ATTRIBUTES, [organizationId]);
  yield [...inputs, 'Enrichment Status', 'Enrichment Error', ...attributes.map(({ name }) => name)];
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(ROWS, [jobId]);
    for (;;) {
      const { rows } = await client.query<Row>('fetch 250 from rows');
      if (rows.length === 0) break;
      for (const { input_data: input, status, error_message: error, enriched_data: data } of rows)
        yield [
          ...inputs.map((column) => input[column] ?? ''),
          status,
          error ?? '',
          ...attributes.map(({ slug }) => cell(data[slug]?.value)),
        ];
    }
    await client.query('commit');
  } finally {
    client.release();
  }
}

/** A hand-written download for this one table: a cursor piped through a CSV writer, without keys. */
await runProcess('download peer', async () => {
  const app = fastify();
  app.get<{ Params: { job: string } }>('/api/:organization/brand-enrichment-jobs/:job/download', ({ params }, reply) => {
    const writer = stringify({ record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
    const file = pipeline(Readable.from(lines(params.job)), writer, () => {});
    return reply.type('text/csv; charset=utf-8').send(file);
  });
  return servePeer(app, pool);
});
