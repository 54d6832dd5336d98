import { reads, writes } from '../cluster/load/requests.ts';
import { Attempts } from '../cluster/load/workload.ts';
import { openCatalog } from '../faults/kinds.ts';
import { startBalancer } from '../support/balancer.ts';
import { expectWhole, followJob } from '../support/follow.ts';
import { startGateway } from '../support/system.ts';

const databaseUrl = process.env.TEST_DATABASE_URL!;
const ITEMS = 40;

test('a gateway behind a balancer is replaced without a failed request or a lost update', async () => {
  const gateway = await startGateway({ SHUTDOWN_DELAY: '2' });
  // The shared gateway serves once the first one reports that it closes.
  const balancer = await startBalancer([gateway.url, process.env.TEST_URL!]);
  const catalog = await openCatalog(balancer.url, databaseUrl);
  const attempts = new Attempts();
  const jobId = await catalog.start(await catalog.addColored(ITEMS, '[[provider: slow 4000]]'));
  const following = followJob({ url: () => balancer.url, key: catalog.key, jobId });

  const ending = new AbortController();
  const clients = [reads(catalog, attempts), writes(catalog, attempts, databaseUrl), reads(catalog, attempts)];
  const running = clients.map((each) => each.run(ending.signal));
  await catalog.jobWhen(jobId, ({ processedCount }) => processedCount > 0);
  await gateway.stop();
  const { updates, connections } = await following;
  ending.abort();
  await Promise.all(running);

  expect([...attempts.failures]).toEqual([]);
  expectWhole(updates, ITEMS);
  expect(connections).toBeGreaterThan(1);
  const [products] = await clients[1]!.settle();
  expect(products).toMatchObject({ lost: 0, doubled: 0 });
  expect(products!.accepted).toBeGreaterThan(10);
  await balancer.close();
});
