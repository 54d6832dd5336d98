import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { seedOrganization } from '../support/seed.ts';

const run = promisify(execFile);
const MAIN = process.env.TEST_URL!;
const SITE = process.env.TEST_SITE_URL!;

/** The shell blocks of the introduction, as a reader pastes them. */
async function scriptOf(url: string): Promise<string> {
  const { info } = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { description: string } };
  return [...info.description.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
}

test('the quickstart of the reference works when it is pasted into a shell', async () => {
  const { key, slug } = await seedOrganization();
  const env = { PATH: process.env.PATH, URL: MAIN, KEY: key, ORG: slug };
  const { stdout } = await run('bash', ['-euc', await scriptOf(MAIN)], { env });
  const { data } = JSON.parse(stdout.slice(stdout.lastIndexOf('{"success"')));
  expect(data.items).toMatchObject([{ status: 'completed', enrichedData: { color: { value: 'red' } } }]);
});

test('the first request of the site-content reference works when it is pasted into a shell', async () => {
  const { key } = await seedOrganization();
  const { stdout } = await run('bash', ['-euc', await scriptOf(SITE)], {
    env: { PATH: process.env.PATH, SITE_URL: SITE, KEY: key },
  });
  expect(JSON.parse(stdout)).toMatchObject({ ok: true });
});

test('the root of site content leads browsers to the reference', async () => {
  const page = await fetch(SITE, { headers: { accept: 'text/html,*/*' }, redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/docs']);
});

test.each([
  ['main', MAIN, { graphql: '/graphql' }],
  ['site content', SITE, {}],
])('the root of %s names the addresses to clients of the API', async (_, url, graphql) => {
  const common = { reference: '/docs', openapi: '/openapi.json', health: '/healthz', readiness: '/readyz' };
  const places = (await (await fetch(url)).json()) as Record<string, string>;
  expect(places).toEqual({ ...common, ...graphql });
  for (const place of [places.reference!, places.openapi!, places.health!, places.readiness!])
    expect([place, (await fetch(`${url}${place}`)).status]).toEqual([place, 200]);
});
