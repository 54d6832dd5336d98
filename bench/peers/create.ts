import { fastify } from 'fastify';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { runProcess } from '../../start/process/run.ts';
import { servePeer } from './serve-peer.ts';

const INSERT = `
  insert into catalog.products (id, organization_id, sku, name, manufacturer, mpn, uom, brand, category, external_id,
                                user_provided_raw_data_sources)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  returning id, sku, name, manufacturer, mpn, brand, category, created_at as "createdAt"`;

const text = { type: 'string' };
const FIELDS = ['sku', 'name', 'manufacturer', 'mpn', 'uom', 'brand', 'category', 'externalId'] as const;
const body = {
  type: 'object',
  required: ['sku', 'name'],
  properties: {
    ...Object.fromEntries(FIELDS.map((field) => [field, text])),
    userProvidedRawDataSources: { type: 'array', items: text, default: [] },
  },
};

interface Create {
  Params: { organization: string };
  Body: Partial<Record<(typeof FIELDS)[number], string>> & { userProvidedRawDataSources: string[] };
}

/** A hand-written `POST /products/create`, without keys and limits. */
await runProcess('create peer', async () => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
  const { rows } = await pool.query<{ id: string; slug: string }>('select id, slug from identity.organizations');
  const organizations = new Map(rows.map(({ slug, id }) => [slug, id]));

  const app = fastify();
  app.post<Create>('/api/:organization/products/create', { schema: { body } }, async ({ params, body }) => {
    const given = [...FIELDS.map((field) => body[field] ?? null), body.userProvidedRawDataSources];
    const values = [uuid(), organizations.get(params.organization), ...given];
    const inserted = await pool.query({ name: 'insert', text: INSERT, values });
    return { success: true, data: inserted.rows[0] };
  });
  return servePeer(app, pool);
});
