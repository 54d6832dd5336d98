import { rulesOf } from '../../../subgraphs/agent/ingestion/crawl/robots.ts';

const ROBOTS = 'User-agent: *\nDisallow: /secret/';

test.each([
  ['http://shop.example.com/', 'https://shop.example.com'],
  ['https://shop.example.com/', 'http://shop.example.com'],
  ['https://shop.example.com:8443/start', 'https://shop.example.com:8443'],
])('the rules of %s apply to pages of %s', (site, origin) => {
  const { isAllowed } = rulesOf(new URL(site), ROBOTS);
  expect([isAllowed(`${origin}/secret/a?b=1`), isAllowed(`${origin}/a?b=/secret/`)]).toEqual([false, true]);
});
