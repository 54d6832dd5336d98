import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { linkTimeout } from '../../start/gateway/open-gateway.ts';
import { caller } from '../support/client.ts';
import { openGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

const SUBGRAPH_SECRET = 'known-to-the-processes-only';
const LATE = 10_000;
let started = 0;
let ended = 0;
const agent = createServer(async (request, response) => {
  request.resume();
  if (request.url !== '/graphql') return response.end('{}');
  started += 1;
  response.once('close', () => (ended += 1));
  await setTimeout(LATE, undefined, { ref: false });
  return response.setHeader('content-type', 'application/json').end('{"data":{"agentSummaries":[]}}');
});
agent.listen(0, '127.0.0.1');
await once(agent, 'listening');
const AGENT_URL = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
afterAll(() => {
  agent.closeAllConnections();
  agent.close();
});

/** Ask the agent subgraph through a gateway with this timeout. */
async function ask(OPERATION_TIMEOUT: string) {
  const gateway = await openGateway({ AGENT_URL, SUBGRAPH_SECRET, OPERATION_TIMEOUT });
  try {
    const { key } = await seedOrganization();
    return (await caller(key, { url: gateway.url }).post('/graphql', { query: '{ agentSummaries { id } }' })).body;
  } finally {
    await gateway.stop();
  }
}

test.each([
  [60, 61_000],
  [1, 30_000],
])('a request to a subgraph in another process outlives an operation of %i seconds', (seconds, expected) => {
  expect(linkTimeout(seconds)).toBe(expected);
});

test('the request to a subgraph in another process is aborted when its operation times out', async () => {
  [started, ended] = [0, 0];
  expect(await ask('1')).toMatchObject({
    errors: [{ message: 'The operation took longer than 1 seconds', extensions: { code: 'UNAVAILABLE' } }],
  });
  expect(started).toBe(1);
  await until(() => ended === 1, 2_000);
});
