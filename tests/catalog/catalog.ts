import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';

/** A caller in a separate organization. Paths are relative to it, and responses are compared completely. */
export async function openCatalog({ url, ...options }: Parameters<typeof seedOrganization>[0] & { url?: string } = {}) {
  const organization = await seedOrganization(options);
  const { graphql, refusal, ...rest } = caller(organization.key, { url });
  const post = async (path: string, body?: unknown) => {
    const answer = await rest.post(`/api/${organization.slug}${path}`, body);
    return { status: answer.status, body: answer.body };
  };
  return {
    url,
    organization,
    post,
    graphql,
    refusal,
    /** The id of a new product. */
    async create(product: Record<string, unknown>): Promise<string> {
      const { body } = await post('/products/create', { name: 'Anvil', ...product });
      if (!body.success) throw new Error(body.message);
      return body.data.id;
    },
    /** `total` in the pagination of the list. */
    async total(filter: Record<string, unknown> = {}): Promise<number> {
      return (await post('/products/get', filter)).body.data.pagination.total;
    },
  };
}

export type Catalog = Awaited<ReturnType<typeof openCatalog>>;

export const ok = (data: unknown) => ({ status: 200, body: { success: true, data } });
export const refused = (status: number, message: string, extra = {}) => ({ status, body: { success: false, message, ...extra } });
export const invalid = (message: string) => refused(400, `Invalid request body: ${message}`);
export const notFound = refused(404, 'Product not found');
export const taken = (...skus: string[]) => refused(409, `Products with these SKUs/externalIds already exist: ${skus.join(', ')}`);

export const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
export const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const unknownId = '0199a000-0000-7000-8000-00000000ffff';
