import { rulesOf } from '../../../subgraphs/agent/ingestion/crawl/crawl-request.ts';

const ROBOTS = 'User-agent: *\nDisallow: /secret/';

test.each([
  ['http://shop.example.com/', 'https://shop.example.com'],
  ['https://shop.example.com/', 'http://shop.example.com'],
  ['https://shop.example.com:8443/start', 'https://shop.example.com:8443'],
])('the rules of %s apply to pages of %s', async (site, origin) => {
  const rules = await rulesOf('acme', new URL(site), ROBOTS);
  const [secret, open] = [`${origin}/secret/a?b=1`, `${origin}/a?b=/secret/`];
  expect(await rules.allowed([secret, open], 2)).toEqual([open]);
});

test('rules that take too long to check end with their thread, and the site is refused', async () => {
  const rule = `Disallow: /${`${'a'.repeat(50)}*`.repeat(8)}b`;
  const robots = ['User-agent: *', ...Array(5_000).fill(rule)].join('\n');
  const rules = await rulesOf('acme', new URL('https://shop.example.com/'), robots);
  const before = process.threadCpuUsage();
  await expect(rules.allowed([`https://shop.example.com/${'a'.repeat(2_000)}`], 1)).rejects.toThrow('too many rules to check');
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(500_000);
});
