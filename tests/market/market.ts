import type { createDatabase } from '../support/database.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import { openSystem } from '../support/system.ts';

type Own = Awaited<ReturnType<typeof createDatabase>>;

/** A system that may also connect to these hosts. */
export const openShopping = (own: Own, hosts: string[], env: Record<string, string> = {}) =>
  openSystem({
    databaseUrl: own.url,
    env: { OUTBOUND_ALLOW_HOSTS: [new URL(process.env.TEST_PROVIDER!).host, ...hosts].join(','), ...env },
  });

/** An organization in this system, and market analyses over REST. */
export async function openMarket(where: { url?: string; databaseUrl?: string; credits?: number } = {}) {
  const catalog = await seedCatalog([color], where);
  const post = async (path: string, body?: object) => {
    const answer = await catalog.api.post(`/api/${catalog.slug}/product-market-analysis-jobs${path}`, body);
    return { status: answer.status, body: answer.body };
  };
  const analyse = async (productIds: string[], modelType = 'budget-v1') => {
    const { body } = await post('/create', { productIds, modelType });
    const job = await catalog.jobWhen(body.data.jobId, ({ status }) => !['pending', 'processing'].includes(status));
    return { job, items: (await post(`/${job.id}/items/get`)).body.data.items };
  };
  return { ...catalog, post, analyse };
}
