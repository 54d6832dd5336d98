import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { caller } from '../support/client.ts';
import { root } from '../support/npm.ts';
import { seedOrganization } from '../support/seed.ts';

const url = process.env.TEST_URL!;
const { key } = await seedOrganization({ credits: 1_000 });
const { graphql } = caller(key, { url });
const make = async (text: string, variables: object = {}): Promise<string> => (await graphql(text, { ...variables })).made.id;

const agentId = await make('mutation { made: createAgent(input: { name: "Zoe", slug: "zoe", maxRetrievalTokens: 0 }) { id } }');
const addSet = (name: string) =>
  make('mutation ($agentId: ID!, $name: String!) { made: createTestSet(agentId: $agentId, input: { name: $name }) { id } }', {
    agentId,
    name,
  });
const set = await addSet('Basics');
const addCase = (name: string, check: object, to = set) =>
  make('mutation ($set: ID!, $input: NewTestCase!) { made: createTestCase(testSetId: $set, input: $input) { id } }', {
    set: to,
    input: { name, messages: ['Who are you?'], checks: [check] },
  });

interface Update {
  sequence: number;
  status: string;
  finished: number;
  total: number;
  credits: number;
}

/** The updates of a run until it ends. */
async function follow(id: string): Promise<Update[]> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': key },
  });
  const query = 'subscription ($id: ID!) { testRunProgress(id: $id) { sequence status finished total credits } }';
  const updates: Update[] = [];
  for await (const { data } of client.iterate<{ testRunProgress: Update }>({ query, variables: { id } }))
    updates.push(data!.testRunProgress);
  await client.dispose();
  return updates;
}

/** Runs `npm run test:agent`. */
const testAgent = (...more: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const args = ['--import', './start/typescript.mjs', 'start/test-agent.ts', '--agent', 'zoe', '--url', url, ...more];
    execFile(process.execPath, args, { cwd: root, env: { ...process.env, CATALOG_KEY: key } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

test('a run works through its repeats, and its subscribers see it until it ends', async () => {
  await addCase('No calls', { kind: 'not_calls' });
  await addCase('Brief', { kind: 'omits', text: 'This sentence is in no reply' });
  const id = await make(
    'mutation ($set: ID!) { made: startTestRun(testSetId: $set, input: { target: published, repeats: 3 }) { id } }',
    { set },
  );
  const updates = await follow(id);
  expect(updates.at(-1)).toMatchObject({ status: 'completed', finished: 6, total: 6, credits: 6 });
  const sequences = updates.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  expect((await follow(id)).map(({ status }) => status)).toEqual(['completed']);
});

test('the command for continuous integration fails when the gate would refuse the draft', async () => {
  const require =
    'mutation ($agentId: ID!, $set: ID!) { requireTestsToPublish(agentId: $agentId, requirement: { testSetId: $set, share: 0.8 }) { id } }';
  await graphql(require, { agentId, set });
  await make('mutation ($agentId: ID!) { made: openAgentDraft(agentId: $agentId) { id } }', { agentId });
  const file = join(tmpdir(), `junit-${process.pid}.xml`);
  const passed = await testAgent('--repeats', '3', '--junit', file);
  expect(passed).toMatchObject({ code: 0, stderr: expect.not.stringContaining('test:agent') });
  expect(passed.stdout).toContain('Draft: 2 passed, 0 flaky, 0 failed\nPublished: 2 passed, 0 flaky, 0 failed\n12 credits\n');
  expect(await readFile(file, 'utf8')).toContain('tests="2" failures="0"');
  await rm(file);
  await addCase('Impossible', { kind: 'states', text: 'This sentence is in no reply' });
  const failed = await testAgent('--repeats', '3', '--set', 'Basics');
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('test:agent: 66.6 % of the cases of "Basics" pass, and 80.0 % must.\n');
  expect((await testAgent('--set', 'Others')).stderr).toBe('test:agent: Name one of the test sets by --set: Basics\n');
  // Another set has its own result.
  await addCase('No calls', { kind: 'not_calls' }, await addSet('Others'));
  const passing = await testAgent('--repeats', '1', '--set', 'Others');
  expect(passing).toMatchObject({ code: 0, stderr: expect.not.stringContaining('test:agent') });
});
