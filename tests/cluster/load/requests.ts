import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '../../faults/kinds.ts';
import { sendFiles } from '../../support/form.ts';
import { database } from '../../support/seed.ts';
import { type Attempts, expectStatus, type Workload } from './workload.ts';

const PAUSE = 20;
const LIST = '{ products(limit: 5) { nodes { id sku } } organization { slug agents { id } } }';

/** Reads a list over REST, and a query over several subgraphs. */
export const reads = ({ api, slug }: Catalog, attempts: Attempts): Workload => ({
  async run(signal) {
    while (!signal.aborted) {
      await attempts.once('REST read', async () => expectStatus(await api.post(`/api/${slug}/products/get`, {})));
      await attempts.once('GraphQL read', () => api.graphql(LIST));
      await sleep(PAUSE);
    }
  },
  settle: async () => [],
});

/** Creates products with an idempotency key, and repeats a failed request with the same key. */
export function writes({ api, slug, id }: Catalog, attempts: Attempts, databaseUrl: string): Workload {
  const accepted: string[] = [];
  return {
    async run(signal) {
      while (!signal.aborted) {
        const sku = randomUUID();
        const headers = { 'idempotency-key': sku };
        const create = async () => expectStatus(await api.post(`/api/${slug}/products/create`, { sku, name: sku }, headers));
        if (await attempts.repeat('REST write', create, signal)) accepted.push(sku);
        await sleep(PAUSE);
      }
    },
    async settle() {
      const { rows } = await database(databaseUrl).query<{ sku: string }>(
        'select sku from catalog.products where organization_id = $1 and sku = any($2)',
        [id, accepted],
      );
      const done = new Set(rows.map(({ sku }) => sku));
      const missing = accepted.filter((sku) => !done.has(sku));
      const counts = { accepted: accepted.length, done: done.size, lost: missing.length, doubled: rows.length - done.size };
      return [{ name: 'products', ...counts, suspects: missing }];
    },
  };
}

/** Uploads files. */
export function uploads(catalog: Catalog, attempts: Attempts, databaseUrl: string): Workload {
  const accepted: string[] = [];
  return {
    async run(signal) {
      while (!signal.aborted) {
        const file = { name: 'list.csv', type: 'text/csv', content: `SKU,Name\n${randomUUID()},Drill\n` };
        const answer = await attempts.once('upload', async () =>
          expectStatus(await sendFiles(catalog, '/enrichment-files/upload', [file])),
        );
        accepted.push(...(answer?.body.uploadedFileIds ?? []));
        await sleep(10 * PAUSE);
      }
    },
    async settle() {
      const { rows } = await database(databaseUrl).query<{ id: string }>('select id from catalog.files where id = any($1)', [
        accepted,
      ]);
      const done = rows.length;
      return [{ name: 'files', accepted: accepted.length, done, lost: accepted.length - done, doubled: 0 }];
    },
  };
}
