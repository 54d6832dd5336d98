import { fastify } from 'fastify';
import pg from 'pg';
import { runProcess } from '../../start/process/run.ts';
import { servePeer } from './serve-peer.ts';

const ROWS = `
  select p.id, p.sku, p.name, p.manufacturer, p.brand, p.category, p.parent_id as "parentId", parent.name as "parentName",
         p.is_parent as "isParent", p.created_at as "createdAt"
    from catalog.products p left join catalog.products parent on parent.id = p.parent_id
   where p.organization_id = $1 and not p.archived order by p.created_at desc, p.id desc limit $2 offset $3`;
const TOTAL = 'select sum(count)::int as total from catalog.product_counts where organization_id = $1';

interface Listing {
  Params: { organization: string };
  Body: { page?: number; limit?: number };
}

const body = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  },
};

/** A hand-written `POST /products/get` for this one page, without keys, limits and other filters. */
await runProcess('listing peer', async () => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
  const { rows } = await pool.query<{ id: string; slug: string }>('select id, slug from identity.organizations');
  const organizations = new Map(rows.map(({ slug, id }) => [slug, id]));

  const app = fastify();
  app.post<Listing>('/api/:organization/products/get', { schema: { body } }, async ({ params, body }) => {
    const { page = 1, limit = 10 } = body;
    const organizationId = organizations.get(params.organization);
    const [products, counted] = await Promise.all([
      pool.query({ name: 'rows', text: ROWS, values: [organizationId, limit, (page - 1) * limit] }),
      pool.query({ name: 'total', text: TOTAL, values: [organizationId] }),
    ]);
    const { total } = counted.rows[0];
    return {
      success: true,
      data: { products: products.rows, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } },
    };
  });
  return servePeer(app, pool);
});
