import { caller } from '../support/client.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { expectWhole, type Update } from '../support/follow.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import type { Running } from '../support/processes.ts';
import { startSubgraph } from '../support/system.ts';
import { until } from '../support/until.ts';

const ITEMS = 200;
const SUBGRAPH_SECRET = 'known-to-the-processes-only';
const PROGRESS =
  'subscription ($id: ID!) { jobProgress(id: $id) { sequence status processedCount successCount failedCount items { id } } }';

const startCatalog = (port = '0') => startSubgraph('catalog', { PORT: port, SUBGRAPH_SECRET });

let catalog: Running;
let gateway: Gateway;
beforeAll(async () => {
  catalog = await startCatalog();
  gateway = await openGateway({ CATALOG_URL: catalog.addresses.url!, SUBGRAPH_SECRET });
});
afterAll(async () => {
  await gateway.stop();
  await catalog.stop();
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a subscriber keeps its socket and hears everything once while the subgraph dies by %s and comes back',
  async (signal) => {
    const { key, addColored, start, jobWhen } = await seedCatalog();
    const jobId = await start(await addColored(ITEMS, '[[provider: slow 300]]'));
    const updates: Update[] = [];
    const followed = (async () => {
      // The client does not resubscribe automatically.
      for await (const { data, errors } of caller(key, { url: gateway.url }).subscribe(PROGRESS, { id: jobId })) {
        if (errors) throw new Error(JSON.stringify(errors));
        updates.push(data.jobProgress);
      }
    })();
    // On a busy machine the job may be quicker than the connection.
    await until(() => updates.length > 0);
    for (const processed of [20, 90]) {
      await jobWhen(jobId, ({ processedCount }) => processedCount >= processed);
      await catalog.stop(signal);
      expect(updates.at(-1)).not.toMatchObject({ processedCount: ITEMS });
      catalog = await startCatalog(new URL(catalog.addresses.url!).port);
    }
    await followed;
    expectWhole(updates, ITEMS);
    expect(updates.at(-1)).toMatchObject({ status: 'completed', failedCount: 0 });
  },
);
