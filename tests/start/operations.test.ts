import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { caller } from '../support/client.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import { environmentOf } from '../support/environment.ts';
import { root } from '../support/npm.ts';
import { hasVectorPostgres, startVectorPostgres } from '../support/pgvector.ts';
import { startProcess } from '../support/processes.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'catalog-graph-operations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The commands of a page of the operator's guide, one text for each block. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(root, `docs/operations/${page}.md`), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
}

/** Run commands as an operator pastes them. Returns the output. */
const paste = async (commands: string, env: Record<string, string>) =>
  (await run('bash', ['-euc', commands], { cwd: root, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } })).stdout;

test('the command for the log finds slow requests', async () => {
  const [slow] = commandsOf('watch');
  const file = join(folder, 'gateway.log');
  const line = (operation: string, responseTime: number) => JSON.stringify({ msg: 'Request completed', operation, responseTime });
  writeFileSync(file, [line('fast', 12.5), line('slow', 1250.5), '{"msg":"gateway is ready"}'].join('\n'));
  expect(await paste(slow!, { LOG: file })).toBe(`${line('slow', 1250.5)}\n`);
});

const testWithServer = hasVectorPostgres('the commands for a backup') ? test : test.skip;

testWithServer('a backup, taken while the product runs and restored into an empty database, completes the open job', async () => {
  const server = await startVectorPostgres();
  const running: { stop(): Promise<void> }[] = [];
  const start = async (name: string, databaseUrl: string) => {
    const started = await startProcess(`start/${name}.ts`, [], environmentOf({ databaseUrl }));
    running.push(started);
    return started;
  };
  try {
    const gateway = await start('gateway', server.url);
    const url = gateway.addresses.url!;
    const catalog = await seedCatalog([color], { url, databaseUrl: server.url });
    // Without a worker, the job stays open.
    const job = await catalog.start(await catalog.addColored(3));

    const [backup, restore] = commandsOf('backup');
    const env = {
      PATH: `${server.programs}${delimiter}${process.env.PATH}`,
      // Operators have parameters such as `sslmode` and `sslrootcert`.
      DATABASE_URL: `${server.url}?application_name=a/operator`,
      BACKUP: join(folder, 'backup'),
      LOG_LEVEL: 'warn',
    };
    await paste(backup!, env);
    await gateway.stop();
    const restored = (await paste(`${restore}\necho "$DATABASE_URL"`, env)).trim().split('\n').at(-1)!;
    expect(restored).toMatch(/\/restored\?application_name=a\/operator$/);

    const [gatewayAgain] = await Promise.all([start('gateway', restored), start('worker', restored)]);
    const { graphql } = caller(catalog.key, { url: gatewayAgain.addresses.url! });
    const read = async () => (await graphql(`{ job(id: "${job}") { status successCount } }`)).job;
    await until(async () => (await read()).status === 'completed');
    expect((await read()).successCount).toBe(3);

    const [upgrade] = commandsOf('upgrade');
    await paste(upgrade!, { ...env, DATABASE_URL: restored });
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    await server.stop();
  }
});
