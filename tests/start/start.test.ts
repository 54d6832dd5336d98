import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../start/servers/ports.ts';
import { isAlive } from '../../start/servers/processes.ts';
import { caller } from '../support/client.ts';
import { until } from '../support/until.ts';
import { childrenOf, descendants } from './descendants.ts';
import { chatWithSample } from './transcript.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'catalog-graph-start-'));
const running: ChildProcess[] = [];
let ports: { PORT: string; SITE_PORT: string };
let key: string;
let recovered: Started;

beforeAll(async () => {
  ports = { PORT: String(await freePort()), SITE_PORT: String(await freePort()) };
});
afterAll(async () => {
  for (const child of running) if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT');
  await Promise.all(running.map((child) => child.exitCode !== null || child.signalCode !== null || once(child, 'exit')));
  rmSync(dataDir, { recursive: true, force: true });
});

const MAIN = [process.execPath, '--import', './start/typescript.mjs', 'start/main.ts'];
/** `npm start` in a pseudo-terminal of 0 columns, as `script` makes it. */
const IN_TERMINAL = ['script', '-qec', 'npm start', '/dev/null'];

/** Run `npm start` with one data folder; `said` resolves when the output contains a text. */
function start(env: Record<string, string> = ports, [command, ...args]: string[] = MAIN) {
  const child = spawn(command!, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return {
    child,
    exit,
    output: () => output,
    async said(text: string): Promise<string> {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return output;
    },
  };
}

type Started = ReturnType<typeof start>;
const READY = 'Ctrl-C stops everything';

// The tests run in order; each uses the state of the previous one.
test('the first start creates and enriches the sample, and a concurrent second start reports the running system', async () => {
  const first = start();
  const output = await first.said(READY);
  expect(output).toMatch(/^ {2}Enriching 40\/40 products, 0 failed$/m);
  expect(output).toMatch(/^ {2}Brands +12 values for (?!.*failed)/m);
  expect(output).toMatch(/^ {2}Categories +\d\d values for (?!.*failed)/m);
  expect(output).toMatch(/^ {2}Validation +\d\d values of 8 products compared (?!.*failed)/m);
  expect(output).toMatch(/^ {2}Market analysis +11 offers of 3 shops for 6 products(?!.*failed)/m);
  key = /API key\s+(ck_\S+)/.exec(output)![1]!;
  const url = `http://127.0.0.1:${ports.PORT}`;
  const answer = await caller(key, { url }).post('/api/sample/products/get', { enrichedFilter: 'enriched' });
  expect(answer.body.data.pagination.total).toBe(40);

  const [, origin, token] = /Dashboard\s+(\S+)\/auth\/link\/(\S+)/.exec(output)!;
  const signedIn = await caller(undefined, { url }).post('/auth/link', { token }, { origin: origin! });
  expect(signedIn).toMatchObject({ status: 200, body: { user: { email: 'owner@example.com' } } });

  // The dashboard embeds the widget of each agent, without an allowed origin.
  const { body: listed } = await caller(key, { url }).get('/api/sample/agents');
  const config = await caller(undefined, { url }).get(`/api/agents/${listed.data.agents[0].publicSlug}/config`, {
    origin: origin!,
  });
  expect(config).toMatchObject({ status: 200, body: { originAllowed: true } });

  // npm start enables introspection; start:gateway does not by default.
  const schema = await caller(key, { url }).graphql('{ __schema { queryType { name } } }');
  expect(schema).toEqual({ __schema: { queryType: { name: 'Query' } } });

  // A customer is signed in on the page of the sample shop, which embeds the agent.
  const shopPage = await (await fetch(/Sample shop\s+(http\S+)/.exec(output)![1]!)).text();
  expect(shopPage).toMatch(new RegExp(`<script src="${url}/widget\\.js" data-agent="[\\w-]+" data-identity="eyJ`));

  await expectTranscript(output);
  await expectImport(output);
  const { graphql } = caller(key, { url });
  await graphql('mutation ($id: ID!) { deleteAgent(id: $id) { id } }', { id: listed.data.agents[0].id });

  const second = start({ PORT: '0', SITE_PORT: '0' });
  expect(await second.exit).toBe(1);
  expect(second.output()).toContain(`Already running as process ${first.child.pid}`);
  expect(second.output()).toContain(url);

  const children = childrenOf(first.child.pid!);
  expect(children.length).toBeGreaterThanOrEqual(2);
  first.child.kill('SIGINT');
  expect(await first.exit).toBe(0);
  expect(children.filter(isAlive)).toEqual([]);
  expect(
    first
      .output()
      .split('Stopping ')
      .slice(1)
      .map((line) => line.trim()),
  ).toEqual(['worker', 'gateway', 'offline model', 'Temporal', 'PostgreSQL', 'the use of the data folder']);
});

/** The printed command imports the file of the sample. */
async function expectImport(output: string): Promise<void> {
  const [command] = /^ {2}curl -s \S+ai-import-jobs[^\n]*\\\n[^\n]*/m.exec(output)!;
  const { data } = JSON.parse(execFileSync('bash', ['-c', command], { encoding: 'utf8' }));
  const { graphql } = caller(key, { url: `http://127.0.0.1:${ports.PORT}` });
  const read = async () => (await graphql(`{ job(id: "${data.jobId}") { status totalExtracted } }`)).job;
  await until(async () => (await read()).status === 'completed');
  // Two families with two variants each, and two products.
  expect((await read()).totalExtracted).toBe(8);
}

/** The sample agent answers from a page, from the catalog with evidence, and by a tool, and raises a ticket for a person. */
async function expectTranscript(output: string): Promise<void> {
  const ask = await chatWithSample(output);
  const page = await ask('How long can I return goods?');
  expect(page.text).toContain('You can return unused goods within 30 days.');
  expect(page.sources).toEqual([
    expect.objectContaining({ type: 'source-url', url: expect.stringMatching(/\/pages\/service\.html$/) }),
  ]);
  const product = await ask('How heavy is the Torvik JS18 jigsaw?');
  expect(product.tools).toEqual(['search_products', 'read_product']);
  expect(product.text).toMatch(
    /^Torvik JS18 cordless jigsaw: weight 1\.9 kg\. The source says ".*1\.9 kg.*" \(confidence \d+ %\)\.$/,
  );
  expect(product.sources).toEqual([
    expect.objectContaining({ type: 'source-url', url: expect.stringMatching(/\/pages\/torvik-js18\.html$/) }),
  ]);
  const order = await ask('Where is my order 1042?');
  expect(order.tools).toEqual(['order_status']);
  expect(order.text).toContain('status: shipped');
  const person = await ask('I want to talk to a person. My e-mail address is ada@example.com');
  expect(person.tools).toEqual(['create_support_ticket']);
  expect(person.text).toContain('I have raised the ticket TKT-1002.');
  expect((await ask('Who won the cup?')).text).toContain("I don't know");
}

test('a later start finds the data without warnings in a terminal of any size, and a start after kill -9 recovers', async () => {
  const later = start(ports, IN_TERMINAL);
  await later.said(READY);
  expect(later.output()).toMatch(/✔\S* Sample organization sample exists/);
  const { body } = await caller(key, { url: `http://127.0.0.1:${ports.PORT}` }).get('/api/sample/agents');
  expect(body.data.agents).toEqual([]);
  expect(later.output()).not.toMatch(/[⚠↓]|SKIPPED|warning/i);
  for (const pid of [...descendants(later.child.pid!), later.child.pid!]) process.kill(pid, 'SIGKILL');
  await later.exit;

  recovered = start();
  await recovered.said(READY);
  expect(recovered.output()).toContain('sample exists');
});

test('killed PostgreSQL and Temporal servers restart, and the running job finishes', async () => {
  const { graphql, get } = caller(key, { url: `http://127.0.0.1:${ports.PORT}` });
  const { products } = await graphql('{ products(limit: 100) { nodes { id } } }');
  const input = { productIds: products.nodes.map(({ id }: { id: string }) => id), modelType: 'budget-v1', websearch: false };
  const create = 'mutation ($input: NewProductEnrichmentJob!) { job: createProductEnrichmentJob(input: $input) { id } }';
  const { job } = await graphql(create, { input });
  const read = async () => (await graphql(`{ job(id: "${job.id}") { status processedCount failedCount } }`)).job;
  await until(async () => (await read()).processedCount > 0);

  const firstLine = (name: string) => Number(readFileSync(join(dataDir, name), 'utf8').split('\n')[0]);
  for (const name of ['postgres/data/postmaster.pid', 'temporal.pid']) process.kill(firstLine(name), 'SIGKILL');
  for (const name of ['PostgreSQL', 'Temporal']) {
    await recovered.said(`${name} exited unexpectedly; restarting`);
    await recovered.said(`${name} is running again`);
  }
  await until(async () => (await get('/api/organizations/get')).status === 200);
  await until(async () => (await read().catch(() => undefined))?.status === 'completed');
  expect(await read()).toMatchObject({ processedCount: 40, failedCount: 0 });

  const isWorker = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('start/worker.ts');
  process.kill(childrenOf(recovered.child.pid!).find(isWorker)!, 'SIGKILL');
  await recovered.said('worker exited unexpectedly; restarting');
  await recovered.said('worker is running again');
  recovered.child.kill('SIGTERM');
  expect(await recovered.exit).toBe(0);
});

test('a busy port and configuration faults are reported, and no process is left', async () => {
  const other = createServer().listen(Number(ports.PORT), '127.0.0.1');
  await once(other, 'listening');
  const busy = start();
  expect(await busy.exit).toBe(1);
  expect(busy.output()).toMatch(new RegExp(`Port ${ports.PORT} is in use by another program.*PORT=`));
  other.close();

  const missing = { TLS_CERT: join(dataDir, 'none.pem'), TRUSTED_DOCUMENTS: join(dataDir, 'none.json') };
  const wrong = start({ PORT: 'abc', RATE_LIMIT_PER_MINUTE: '0', OPENAI_BASE_URL: 'http://127.0.0.1:1', ...missing });
  expect(await wrong.exit).toBe(1);
  const faults = [
    'PORT must be a whole number',
    'RATE_LIMIT_PER_MINUTE must be a whole number',
    'TLS_CERT needs TLS_KEY',
    'OPENAI_BASE_URL needs OPENAI_API_KEY',
    'TRUSTED_DOCUMENTS: ',
  ];
  for (const fault of faults) expect(wrong.output()).toContain(fault);
});
