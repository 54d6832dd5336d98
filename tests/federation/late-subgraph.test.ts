import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { linkTimeout } from '../../start/gateway/open-gateway.ts';
import { caller } from '../support/client.ts';
import { openGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

const SUBGRAPH_SECRET = 'known-to-the-processes-only';
/** Less than the limit of a request to a subgraph, at which it would end, too. */
const SOON = 20_000;
let started = 0;
let ended = 0;
const agent = createServer((request, response) => {
  request.resume();
  if (request.url !== '/graphql') return response.end('{}');
  started += 1;
  return response.once('close', () => (ended += 1));
});
agent.listen(0, '127.0.0.1');
await once(agent, 'listening');
const AGENT_URL = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
afterAll(() => {
  agent.closeAllConnections();
  agent.close();
});

/** Ask the agent subgraph, which never answers, through a gateway with this timeout, and wait until its request has ended. */
async function ask(OPERATION_TIMEOUT: string) {
  const gateway = await openGateway({ AGENT_URL, SUBGRAPH_SECRET, OPERATION_TIMEOUT });
  try {
    const { key } = await seedOrganization();
    const { body } = await caller(key, { url: gateway.url }).post('/graphql', { query: '{ agentSummaries { id } }' });
    await until(() => ended === 1, SOON);
    return body;
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
});
