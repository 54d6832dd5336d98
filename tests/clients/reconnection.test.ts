import { caller } from '../support/client.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import { startForwarder } from '../support/forwarder.ts';
import { until } from '../support/until.ts';
import { codeOf, recipes, runScript } from './page.ts';

const ITEMS = 20;
const CUTS = 3;

/** A proxy between a client and the system, and a job behind it. */
async function open() {
  const catalog = await seedCatalog([color]);
  const { hostname, port } = new URL(process.env.TEST_URL!);
  const proxy = await startForwarder(hostname, Number(port));
  const env = { CATALOG_URL: `http://127.0.0.1:${proxy.port}`, CATALOG_KEY: catalog.key };
  // Items that end one after the other.
  const sourceOf = (_: unknown, at: number) => `Color: red\n[[provider: slow ${300 + at * 150}]]`;
  const startJob = async () =>
    catalog.start(
      await catalog.addProducts(
        Array.from({ length: ITEMS }, sourceOf).map((source) => ({ userProvidedRawDataSources: [source] })),
      ),
    );
  return { ...catalog, proxy, env, startJob };
}

const PRELUDE = `
import { createClient } from 'graphql-ws';
const url = process.env.CATALOG_URL;
const job = process.env.JOB;
const client = createClient({
  url: url.replace('http', 'ws') + '/graphql',
  connectionParams: { 'x-api-key': process.env.CATALOG_KEY },
  retryAttempts: Infinity,
  shouldRetry: () => true,
  retryWait: () => new Promise((resolve) => setTimeout(resolve, 100)),
});
client.on('closed', () => console.log(JSON.stringify({ lost: true })));
const fetchQuery = () => Promise.reject(new Error('unused'));
`;
const SHOW = `
const receiveOne = receive;
receive = (update) => {
  receiveOne(update);
  const { items, ...state } = progress;
  console.log(JSON.stringify({ ...state, known: items.size, received: update.items.length, isSnapshot: update.isSnapshot, at: update.sequence }));
};
`;
/** Relay compiles its subscriptions; its network runs their text. */
const RELAY = `
const params = { operationKind: 'subscription', name: 'Progress', text: PROGRESS, id: null, cacheID: 'progress', metadata: {} };
environment.getNetwork().execute(params, { id: job }, {}).subscribe({
  next: ({ data }) => receive(data.jobProgress),
  complete: () => client.dispose(),
});
`;

interface Line {
  lost?: true;
  status: string;
  sequence: number;
  at: number;
  processedCount: number;
  known: number;
  received: number;
  isSnapshot: boolean;
}

const parse = (line: string): Line => {
  if (!line.startsWith('{')) throw new Error(line);
  return JSON.parse(line);
};

/** Follow a job with the code of the page while a proxy cuts the connection, the last time until the job has ended. */
async function follow(name: (typeof recipes)[number], change: (recipe: string) => string = (recipe) => recipe) {
  const { proxy, env, startJob, end, slug } = await open();
  const job = await startJob();
  const [receive, resuming] = codeOf('js').filter((code) => /^function receive|^const resuming/m.test(code));
  const recipe = codeOf(`js ${name}`).join('') + (name === 'relay' ? RELAY : '');
  const script = [PRELUDE, receive, SHOW, resuming, change(recipe)].join('\n');
  let cuts = 0;
  let since = 0;
  const { code, lines } = await runScript(`${name}-${slug}`, script, { ...env, JOB: job }, (line) => {
    if (!line.startsWith('{')) return;
    const { known } = parse(line);
    if (known === undefined || known - since < 4 || cuts === CUTS) return;
    since = known;
    cuts += 1;
    if (cuts < CUTS) return proxy.close();
    void proxy.cut().then(async () => {
      await end(job);
      await proxy.restore();
    });
  });
  await proxy.cut();
  if (code !== 0) throw new Error(lines.join('\n'));
  const all = lines.map((line) => parse(line));
  return { code, cuts, updates: all.filter(({ lost }) => !lost), losses: all.length - all.filter(({ lost }) => !lost).length };
}

const isSorted = (numbers: number[]) => numbers.every((each, at) => at === 0 || numbers[at - 1]! <= each);

const withoutNumber = (recipe: string) => recipe.replace('resuming(client)', 'client');
const withFirstNumber = (recipe: string) => withoutNumber(recipe).replaceAll('{ id: job }', '{ id: job, after: 0 }');
const returns = [
  ['without a number', withoutNumber],
  ['with its first number', withFirstNumber],
] as const;

describe.each(recipes)('%s', (name) => {
  const run = (change?: (recipe: string) => string) => {
    const running = follow(name, change);
    // The test that reads it reports the failure.
    running.catch(() => {});
    return running;
  };
  /** They mostly wait for slow items, so they run at once. */
  const runs = new Map<unknown, ReturnType<typeof follow>>();
  beforeAll(async () => {
    for (const change of [undefined, ...returns.map(([, change]) => change)]) runs.set(change, run(change));
    await Promise.allSettled(runs.values());
  });

  test('as documented receives each item once and the end of a job, although its connection is lost', async () => {
    const { code, updates, losses } = await runs.get(undefined)!;
    expect(code).toBe(0);
    expect(losses).toBeGreaterThanOrEqual(CUTS);
    expect(updates.at(-1)).toMatchObject({ status: 'completed', processedCount: ITEMS, known: ITEMS });
    expect(updates.reduce((sum, { received }) => sum + received, 0)).toBe(ITEMS);
    // Only the first update shows a state, because each connection resumes.
    expect(updates.map(({ isSnapshot }) => isSnapshot)).toEqual(updates.map((_, at) => at === 0));
  });

  test.each(returns)('that returns %s knows each item and the end of a job', async (_, change) => {
    const { code, cuts, updates } = await runs.get(change)!;
    expect(code).toBe(0);
    expect(updates.at(-1)).toMatchObject({ status: 'completed', processedCount: ITEMS, known: ITEMS });
    expect(isSorted(updates.map(({ known }) => known))).toBe(true);
    expect(isSorted(updates.map(({ processedCount }) => processedCount))).toBe(true);
    if (change === withoutNumber) {
      expect(updates.filter(({ isSnapshot }) => isSnapshot).length).toBe(cuts + 1);
      expect(isSorted(updates.map(({ at }) => at))).toBe(true);
    }
  });
});

test.each([
  ['as documented', (code: string) => code],
  ['without a number', (code: string) => code.replace(/const variables = \{[\s\S]*?\n\};/, 'const variables = {};')],
])('the loop over all jobs %s learns of a job that ends while the connection is lost', async (_, change) => {
  const { proxy, env, slug, key } = await open();
  const script = change(codeOf('js').join('\n')).replaceAll('Color: red', 'Color: red\\n[[provider: slow 1500]]');
  const { code, lines } = await (async () => {
    const running = runScript(`loop-${slug}`, script, env);
    const statusOf = async () => (await caller(key).graphql('{ jobs { nodes { status } } }')).jobs.nodes[0]?.status;
    await until(async () => (await statusOf()) === 'processing');
    await proxy.cut();
    await until(async () => (await statusOf()) === 'completed');
    await proxy.restore();
    return running;
  })();
  await proxy.cut();
  expect(lines).toContain('job ended, sequence true');
  expect(code).toBe(0);
});
