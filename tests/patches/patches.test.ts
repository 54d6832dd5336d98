import 'reflect-metadata';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { jest } from '@jest/globals';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { Arg, buildSchema, createResolversMap, Query, Resolver } from 'type-graphql';
import { root } from '../support/npm.ts';
import { sleepers } from '../support/sleepers.ts';
import { until } from '../support/until.ts';

const folders = ['subgraphs', 'platform', 'start', 'server', 'gateway', 'schema', 'workflows', 'rest-adapter'];
const patches = folders
  .flatMap((folder) => {
    try {
      return readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, String(file)));
    } catch {
      return [];
    }
  })
  .filter((file) => /\/patches\/[\w-]+\.ts$/.test(file) && !file.includes('node_modules'));
const require = createRequire(import.meta.url);

const installed = (library: string): string =>
  library === 'dns' ? process.versions.node : require(join(root, 'node_modules', library, 'package.json')).version;

test('four libraries are patched, each in one file that names the installed version', () => {
  const versions = patches.map((file) => {
    const [, version] = /^\/\*\*\n \* [\w-]+ (?:of Node )?([\d.]+(?:-rc\.\d+)?)/.exec(readFileSync(join(root, file), 'utf8')) ?? [];
    return [basename(file, '.ts'), version];
  });
  // After an update, check whether the new version makes the patch needless, and then change the version in its comment.
  expect(versions.sort()).toEqual(['dns', 'kysely', 'pg', 'type-graphql'].map((library) => [library, installed(library)]));
});

test('Kysely itself writes a canceled statement to standard error', async () => {
  const written = jest.spyOn(console, 'error').mockImplementation(() => {});
  const pool = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL!, application_name: 'patches' });
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const gone = new AbortController();
  const running = sql`select pg_sleep(3600)`.execute(kysely, {
    signal: gone.signal,
    inflightQueryAbortStrategy: 'cancel query',
  });
  const ended = running.catch(() => {});
  await until(async () => (await sleepers(pool)) > 0);
  gone.abort();
  await ended;
  await until(() => written.mock.calls.length > 0);
  expect(written.mock.calls.flat().join()).toMatch(/failed in the background/);
  written.mockRestore();
  await kysely.destroy();
});

test('pg itself does not prepare a statement without a name', async () => {
  const pool = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL!, max: 1 });
  await pool.query('select $1::int', [1]);
  expect((await pool.query('select name from pg_prepared_statements')).rows).toEqual([]);
  await pool.end();
});

test('type-graphql itself returns a promise for a method that returns none', async () => {
  @Resolver()
  class Plain {
    @Query(() => String)
    patchedOrNot(@Arg('text', () => String) text: string): string {
      return text;
    }
  }
  const schema = await buildSchema({ resolvers: [Plain], validate: false, authChecker: () => true });
  const { Query: fields } = createResolversMap(schema) as unknown as {
    Query: { patchedOrNot(root: object, args: object, scope: object, info: object): unknown };
  };
  expect(fields.patchedOrNot({}, { text: 'plain' }, {}, {})).toBeInstanceOf(Promise);
});
