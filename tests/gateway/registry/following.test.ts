import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishSchema } from 'compiled-gateway/publication';
import { addPublished, openRegistry, readPublished, recordUsage } from 'compiled-gateway/registry';
import { followSupergraph } from '../../../gateway/supergraph/location.ts';
import { supergraphAt } from '../../../gateway/supergraph/supergraph-at.ts';
import { readSupergraph } from '../../../start/gateway/supergraph.ts';
import { startForwarder } from '../../support/forwarder.ts';
import { until } from '../../support/until.ts';
import { served, stack, subgraphsOf } from '../serve/served.ts';
import { subgraph } from '../support/federation.ts';
import { runFederation } from '../support/running-federation.ts';
import { createRegistry } from './registry.ts';

const { address, registry } = await createRegistry();
beforeEach(() => registry.query('truncate registry.publications'));
const { supergraph } = await subgraphsOf([subgraph('notes', 'type Query { note: String }', { Query: { note: () => 'n' } })]);
const publish = (text: string) => publishSchema(registry, { supergraph: text }, { author: 'Ada', days: 30 });
const renamed = (field: string) => supergraph.replace('note: String', `note: String  ${field}: String`);
const setting = (SUPERGRAPH: string) => ({ SUPERGRAPH, SUPERGRAPH_HEADERS: {} });
const password = new URL(address).password;

test('the gateway of the product serves the newest published schema, and keeps the old one if the new one does not build', async () => {
  await expect(readSupergraph(setting(address))).rejects.toThrow(
    /SUPERGRAPH: postgres:\/\/127\.0\.0\.1:\d+\/\w+\?schema=shop_graph has no published schema$/,
  );
  await publish(supergraph);
  const starting = await readSupergraph(setting(address), 50);
  await using gateway = await runFederation(starting);
  const knows = async (field: string) => {
    const { errors = [] } = await gateway.ask(`{ ${field} }`);
    return !errors.some(({ message }: { message: string }) => message.startsWith('Cannot query field'));
  };
  await publish(renamed('second'));
  expect(await knows('note')).toBe(true);
  await until(() => knows('second'));
  // Only somebody with access to the tables can publish it.
  const current = { ...(await readPublished(registry, 2))!, author: 'Eve', verdict: 'safe', report: '', restored: null } as const;
  await addPublished(registry, { ...current, version: 3, supergraph: 'type Query {' });
  await addPublished(registry, { ...current, version: 4, supergraph: renamed('third') });
  await until(() => knows('third'));
  expect(await knows('second')).toBe(false);
}, 60_000);

test('the gateway of the product starts with the newest version that it can serve', async () => {
  await publish(supergraph);
  const current = { ...(await readPublished(registry, 1))!, author: 'Eve', verdict: 'safe', report: '', restored: null } as const;
  await addPublished(registry, { ...current, version: 2, supergraph: renamed('second') });
  await addPublished(registry, { ...current, version: 3, supergraph: renamed('third').replace('type Query', 'type Qery') });
  await addPublished(registry, { ...current, version: 4, supergraph: supergraph.replace(/url: "http:[^"]*"/, 'url: ""') });
  await addPublished(registry, { ...current, version: 5, supergraph: 'type Query {' });
  const starting = await readSupergraph({ ...setting(address), SUBGRAPH_URLS: {} }, 50);
  expect(starting.refused.map(({ message }) => message)).toEqual([
    expect.stringContaining('Syntax Error'),
    expect.stringContaining('SUBGRAPH_URLS must name an address of notes'),
  ]);
  await using gateway = await runFederation(starting);
  const knows = async (field: string) => {
    const { errors = [] } = await gateway.ask(`{ ${field} }`);
    return !errors.some(({ message }: { message: string }) => message.startsWith('Cannot query field'));
  };
  expect([await knows('second'), await knows('third')]).toEqual([true, false]);
  await addPublished(registry, { ...current, version: 6, supergraph: renamed('third') });
  await until(() => knows('third'));
}, 60_000);

test('a refused version is reported once, an unreachable database until it is back, and neither says the password', async () => {
  await publish(supergraph);
  const url = new URL(address);
  const forwarder = await startForwarder(url.hostname, Number(url.port));
  url.port = String(forwarder.port);
  const place = supergraphAt(url.href, { pollInterval: 50 });
  const log: string[] = [];
  const errors: Error[] = [];
  expect(await place.read()).toBe(supergraph);
  const stop = followSupergraph({
    location: place,
    async replace(text) {
      if (text.includes('bad')) throw new Error('It does not build');
      log.push('replaced');
    },
    onOutcome(outcome, error) {
      log.push(outcome);
      if (error) errors.push(error);
    },
  });
  await publish(renamed('bad'));
  await until(() => log.length === 1);
  await forwarder.cut();
  await until(() => log.length >= 2);
  await forwarder.restore();
  await publish(renamed('second'));
  await until(() => log.includes('applied'));
  await stop();
  forwarder.close();
  await forwarder.cut();
  expect(log.filter((each) => each !== 'unreadable')).toEqual(['refused', 'replaced', 'applied']);
  expect(log[1]).toBe('unreadable');
  const said = errors.map((error) => `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).join();
  expect(said).not.toContain(password);
}, 60_000);

test('a database that was restored from a backup may bring another schema under the same number', async () => {
  await publish(supergraph);
  const place = supergraphAt(address);
  expect(await place.read()).toBe(supergraph);
  expect(await place.readChange()).toBeUndefined();
  await registry.query('truncate registry.publications');
  await expect(place.readChange()).rejects.toThrow('has no published schema');
  await publish(renamed('other'));
  expect(await place.readChange()).toBe(renamed('other'));
  await place.close();
});

test('a location without tables, and one of another kind, say what is missing', async () => {
  const other = supergraphAt(address.replace('shop_graph', 'nothing_here'));
  await expect(other.read()).rejects.toThrow('has no published schema');
  await other.close();
  expect(() => supergraphAt('postgres://u:hunter2@host/db?schema=A')).toThrow(/^names a schema/);
});

test('a server starts with the newest version that it can serve, although its configuration names other subgraphs', async () => {
  await publish(supergraph);
  const current = { ...(await readPublished(registry, 1))!, author: 'Eve', verdict: 'safe', report: '', restored: null } as const;
  await addPublished(registry, { ...current, version: 2, supergraph: renamed('second') });
  await addPublished(registry, { ...current, version: 3, supergraph: 'type Query {' });
  await addPublished(registry, { ...current, version: 4, supergraph: supergraph.replace(/url: "http:[^"]*"/, 'url: ""') });
  const { ask, close } = await served({
    supergraph: { pollSeconds: 1 },
    registry: { database: address, usage: false },
    subgraphs: { gone: { timeoutSeconds: 1 } },
  });
  expect((await ask('{ note }')).body).toEqual({ data: { note: 'n' } });
  const knows = async (field: string) =>
    (await ask(`{ ${field} }`)).body.errors?.[0].extensions.code !== 'GRAPHQL_VALIDATION_FAILED';
  expect([await knows('second'), await knows('third')]).toEqual([true, false]);
  await addPublished(registry, { ...current, version: 5, supergraph: renamed('third') });
  await until(() => knows('third'));
  await close();
}, 60_000);

test('a server stops soon while the database of its registry is silent', async () => {
  await publish(supergraph);
  const url = new URL(address);
  const forwarder = await startForwarder(url.hostname, Number(url.port));
  url.port = String(forwarder.port);
  const { ask, close } = await served({ supergraph: { pollSeconds: 1 }, registry: { database: url.href } });
  await ask('{ note }');
  forwarder.freeze();
  const start = performance.now();
  await close();
  // Statements may take 30 seconds each.
  expect(performance.now() - start).toBeLessThan(20_000);
  await forwarder.cut();
}, 60_000);

test('a server whose registry is away starts with a supergraph of its own and answers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'following-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const source = join(folder, 'supergraph.graphql');
  await writeFile(source, supergraph);
  const { ask } = await served({ supergraph: { source }, registry: { database: 'postgres://u:hunter2@127.0.0.1:1/db' } });
  expect((await ask('{ note }')).body).toEqual({ data: { note: 'n' } });
});

test('a gateway follows with the permission to read the versions, and to nothing else', async () => {
  await publish(supergraph);
  const user = `follower_${randomUUID().slice(0, 8)}`;
  await registry.query(`create role ${user} login password 'follow'`);
  try {
    await registry.query(`grant usage on schema shop_graph to ${user}`);
    await registry.query(`grant select on registry.publications to ${user}`);
    const url = new URL(address);
    [url.username, url.password] = [user, 'follow'];
    const place = supergraphAt(url.href);
    expect(await place.read()).toBe(supergraph);
    await place.close();
    const follower = await openRegistry(url.href);
    await follower.createTables();
    await expect(recordUsage(follower, { writer: randomUUID(), sequence: 1, operations: [], rows: [] })).rejects.toThrow(
      'permission denied',
    );
    await follower.close();
  } finally {
    await registry.query(`drop owned by ${user}`);
    await registry.query(`drop role ${user}`);
  }
});
