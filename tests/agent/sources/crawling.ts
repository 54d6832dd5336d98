import { createDatabase } from '../../support/database.ts';
import { database } from '../../support/seed.ts';
import { openSystem } from '../../support/system.ts';
import { openAgent } from './support.ts';
import { type Pages, startSite } from './test-site.ts';

export type Agent = Awaited<ReturnType<typeof openAgent>>;

/**
 * A gateway and a worker with a separate database, and sites that they may crawl.
 * @param env added to the environment of both
 */
export async function openCrawls(env: Record<string, string> = {}) {
  const own = await createDatabase();
  const system = await openSystem({
    databaseUrl: own.url,
    env: {
      // Any port of the loopback address, for sites of tests.
      ...{ OUTBOUND_ALLOW_HOSTS: '127.0.0.1', CRAWL_PAUSE: '20', CRAWL_PAGE_LIMIT: '12' },
      ...{ WORKER_CONCURRENCY: '48' },
      ...env,
    },
  });
  const sites: Awaited<ReturnType<typeof startSite>>[] = [];
  return {
    own,
    system,
    async site(pages: Pages) {
      const made = await startSite(pages);
      sites.push(made);
      return made;
    },
    open: () => openAgent({ url: system.url, databaseUrl: own.url }),
    async close() {
      await Promise.all([system.stop(), ...sites.map((site) => site.close())]);
      await database(own.url).end();
      await own.drop();
    },
  };
}

export const index = (agent: Agent, url: string) => agent.index({ type: 'url', name: 'Site', url });

const PAGES = 'query ($id: ID!) { sourcePages(sourceId: $id) { nodes { url status error title } } }';

export const pagesOf = async (
  agent: Agent,
  id: string,
): Promise<{ url: string; status: string; error: string | null; title: string }[]> =>
  (await agent.owner.graphql(PAGES, { id })).sourcePages.nodes;
