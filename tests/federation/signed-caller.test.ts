import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeSubgraphs } from 'compiled-gateway/publication';
import { decodeJwt, jwtVerify } from 'jose';
import { link } from '../gateway/support/federation.ts';
import { caller } from '../support/client.ts';
import { listen } from '../support/listen.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { startGateway } from '../support/system.ts';

const CALLER_SECRET = 'shared with the subgraphs beside those of the product';

test('a subgraph beside those of the product learns the verified organization and user, which nobody can forge', async () => {
  const received: (string | undefined)[] = [];
  const weather = createServer((request, response) => {
    received.push(request.headers['x-graph-caller'] as string | undefined);
    request.resume();
    response.setHeader('content-type', 'application/json').end('{"data": {"weather": "sun"}}');
  });
  const url = `http://127.0.0.1:${await listen(weather)}/graphql`;
  const folder = await mkdtemp(join(tmpdir(), 'signed-caller-'));
  const file = join(folder, 'supergraph.graphql');
  const own = async (name: string) => ({ name, url: `http://${name}`, sdl: await readFile(`schema/${name}.graphql`, 'utf8') });
  const subgraphs = await Promise.all(['catalog', 'agent', 'site-content'].map(own));
  const sdl = `${link}type Query { weather: String }`;
  await writeFile(file, await composeSubgraphs([...subgraphs, { name: 'weather', url, sdl }]));
  const gateway = await startGateway({ SUPERGRAPH: file, CALLER_SECRET });
  try {
    const [one, other] = [await seedOrganization(), await seedOrganization()];
    const ask = async (key: string, headers: Record<string, string> = {}) => {
      await caller(key, { url: gateway.url }).post('/graphql', { query: '{ weather }' }, headers);
      return received.pop();
    };
    const { rows } = await database().query('select user_id as id from identity.memberships where organization_id = $1', [one.id]);
    const token = (await ask(one.key))!;
    const { payload } = await jwtVerify(token, new TextEncoder().encode(CALLER_SECRET), { issuer: 'catalog-graph' });
    expect(payload).toEqual({ org: one.id, sub: rows[0].id, iss: 'catalog-graph', exp: expect.any(Number) });
    expect(payload.exp! - Date.now() / 1_000).toBeLessThanOrEqual(120);
    expect(decodeJwt((await ask(other.key))!).org).toBe(other.id);
    expect(decodeJwt((await ask(other.key, { 'x-graph-caller': token }))!).org).toBe(other.id);
    // Without a valid key.
    expect(await ask('none', { 'x-graph-caller': token })).toBeUndefined();
  } finally {
    await gateway.stop();
    weather.close();
    await rm(folder, { recursive: true });
  }
}, 120_000);
