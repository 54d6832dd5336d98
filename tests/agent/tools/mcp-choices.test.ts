import { caller } from '../../support/client.ts';
import { openGateway } from '../../support/gateway.ts';
import { duringTransaction } from '../../support/rival.ts';
import { database, seedOrganization } from '../../support/seed.ts';
import { startMcpServer } from './mcp-server.ts';

const offered = ['getStock', 'getPrice', 'getName'].map((name) => ({ name, inputSchema: { type: 'object' as const } }));
const server = await startMcpServer({ json: true, tools: offered, call: () => ({ content: [] }) });
const gateway = await openGateway({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
afterAll(() => Promise.all([gateway.stop(), server.close()]));

const admin = caller((await seedOrganization()).key, { url: gateway.url });
const agentId = (await admin.graphql('mutation { createAgent(input: { name: "Zoe" }) { id } }')).createAgent.id;
const serverId = (
  await admin.graphql(
    'mutation ($agentId: ID!, $input: NewMcpServer!) { createMcpServer(agentId: $agentId, input: $input) { id } }',
    {
      agentId,
      input: { name: 'Shop', url: server.url },
    },
  )
).createMcpServer.id;
const CHOOSE =
  'mutation ($serverId: ID!, $input: NewMcpTool!) { createMcpTool(serverId: $serverId, input: $input) { id endpointUrl } }';
const choose = async (input: object) => (await admin.graphql(CHOOSE, { serverId, input })).createMcpTool;

test('a tool that two requests choose at the same time under different names is chosen once', async () => {
  const { id } = await choose({ remoteName: 'getStock' });
  const refusal = await duringTransaction(
    async (rival) => {
      await rival.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`tools of ${agentId}`]);
      await rival.query(`update agent.tools set remote_name = 'getPrice' where id = $1`, [id]);
    },
    () => admin.refusal(CHOOSE, { serverId, input: { remoteName: 'getPrice', name: 'price' } }),
  );
  expect(refusal).toEqual({ code: 'CONFLICT', message: 'The tool getPrice is already chosen.' });
});

test('tools whose server changes its URL during a refresh are judged by the new server', async () => {
  const other = await startMcpServer({ json: true, tools: [], call: () => ({ content: [] }) });
  const { rows } = await database().query('select id from agent.tools where mcp_server_id = $1', [serverId]);
  await admin.graphql('mutation ($id: ID!, $url: String!) { updateMcpServer(id: $id, input: { url: $url }) { id } }', {
    id: serverId,
    url: other.url,
  });
  await duringTransaction(
    async (rival) => {
      await rival.query('update agent.mcp_servers set url = $2 where id = $1', [serverId, server.url]);
      await rival.query('update agent.tools set endpoint_url = $2 where mcp_server_id = $1', [serverId, server.url]);
    },
    () => admin.graphql('mutation ($serverId: ID!) { refreshMcpTools(serverId: $serverId) { id } }', { serverId }),
  );
  const { rows: enabled } = await database().query('select id from agent.tools where mcp_server_id = $1 and enabled', [serverId]);
  expect(enabled).toEqual(rows);
  await other.close();
});

test('a tool that is chosen while the URL of its server changes has the new URL', async () => {
  const url = 'https://mcp.example.com/';
  const { id } = await duringTransaction(
    (rival) => rival.query('update agent.mcp_servers set url = $2 where id = $1', [serverId, url]),
    () => choose({ remoteName: 'getName' }),
  );
  const { rows } = await database().query('select endpoint_url from agent.tools where id = $1', [id]);
  expect(rows).toEqual([{ endpoint_url: url }]);
});
