import { readFile } from 'node:fs/promises';
import { publishSchema } from 'compiled-gateway/publication';
import { createRegistry } from '../gateway/registry/registry.ts';
import { subgraphsOf } from '../gateway/serve/served.ts';
import { link, subgraph } from '../gateway/support/federation.ts';
import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { startGateway } from '../support/system.ts';
import { until } from '../support/until.ts';

const weather = subgraph('weather', 'type Query { weather: String }', { Query: { weather: () => 'sun' } });

test('the product serves a published subgraph beside its own, without a restart, and refuses a schema without its own fields', async () => {
  const { address, registry } = await createRegistry();
  const publish = (proposal: Parameters<typeof publishSchema>[1]) =>
    publishSchema(registry, proposal, { author: 'Ada', days: 30, acceptBreaking: true });
  const own = async (name: string) => ({ name, url: `http://${name}`, sdl: await readFile(`schema/${name}.graphql`, 'utf8') });
  const subgraphs = await Promise.all(['catalog', 'agent', 'site-content'].map(own));
  await publish({ subgraphs });
  const gateway = await startGateway({ SUPERGRAPH: address, LOG_LEVEL: 'error' });
  const { key } = await seedOrganization();
  const member = caller(key, { url: gateway.url });
  const ask = async (query: string) => (await member.post('/graphql', { query })).body;
  expect(await ask('{ weather }')).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });

  const { servers } = await subgraphsOf([weather]);
  await publish({ subgraphs: [{ name: 'weather', url: servers.weather!.url, sdl: link + weather.typeDefs }] });
  await until(async () => (await ask('{ weather }')).data?.weather === 'sun');

  // Builds, but the REST rows need the field.
  const [catalog] = subgraphs as [(typeof subgraphs)[0]];
  const broken = catalog.sdl.replace(/^ {2}products\(/m, '  renamedProducts(');
  expect(await publish({ subgraphs: [{ ...catalog, sdl: broken }] })).toMatchObject({ outcome: 'published', version: 3 });
  await until(() => gateway.output().includes('Failed to build the new supergraph'));
  expect(await ask('{ weather products(limit: 1) { nodes { sku } } }')).toEqual({
    data: { weather: 'sun', products: { nodes: [] } },
  });
  expect((await member.get('/readyz')).status).toBe(200);
  await publish({ restored: 1 });
  await until(async () => (await ask('{ weather }')).errors !== undefined);
  expect(gateway.output()).not.toContain(new URL(address).password);
  await gateway.stop();
}, 600_000);
