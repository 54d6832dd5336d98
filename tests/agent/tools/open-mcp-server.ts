import { callableTools } from '../../../subgraphs/agent/tools/callable.ts';
import { caller } from '../../support/client.ts';
import { openGateway } from '../../support/gateway.ts';
import { database, seedOrganization } from '../../support/seed.ts';
import { openInProcess } from '../in-process.ts';
import { seedConversation } from '../seed-conversation.ts';
import { callIn, strangerOf } from './calling.ts';
import { startMcpServer } from './mcp-server.ts';

/** The value of the secret `SHOP`. */
export const SECRET = 'the-secret-of-the-shop';

export const CREATE =
  'mutation ($agentId: ID!, $input: NewMcpServer!) { createMcpServer(agentId: $agentId, input: $input) { id name url headersTemplate timeoutMs } }';
export const LIST = 'query ($serverId: ID!) { mcpTools(serverId: $serverId) { name description inputSchema tool { name } } }';
export const CHOOSE =
  'mutation ($serverId: ID!, $input: NewMcpTool!) { createMcpTool(serverId: $serverId, input: $input) { id name description inputSchema endpointUrl enabled mcpServerId } }';

export const object = (properties: object = {}) => ({ type: 'object' as const, properties: properties as Record<string, object> });

/** An organization with an agent, and an MCP server of a shop, whose tools the agent may choose. */
export async function openMcpServer() {
  const acme = await seedOrganization();
  const own = await openInProcess();
  const behavior: Parameters<typeof startMcpServer>[0] = {
    json: false,
    tools: [
      {
        name: 'getStock',
        description: 'Tells the stock.',
        inputSchema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          ...object({ sku: { type: 'string' } }),
          required: ['sku'],
        },
      },
      { name: 'fails', description: `Fails with ${SECRET}.`, inputSchema: object() },
      { name: 'echo-all', inputSchema: object(), outputSchema: object({ a: { pattern: '(a+)+$' } }) },
      { name: 'hostile', description: 'Hostile.', inputSchema: object({ a: { pattern: '(?=a)' } }) },
      { name: 'slow', description: 'Slow.', inputSchema: object() },
    ],
    call(name, input) {
      if (name === 'getStock') return { content: [{ type: 'text', text: `7 of ${input.sku}` }] };
      if (name === 'fails') return { isError: true, content: [{ type: 'text', text: `no stock, ${SECRET}` }] };
      if (name === 'slow') return new Promise(() => {});
      return {
        structuredContent: { echo: SECRET, encoded: Buffer.from(`x:${SECRET}`).toString('base64'), input },
        content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
      };
    },
  };
  const server = await startMcpServer(behavior);
  const gateway = await openGateway({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
  const admin = caller(acme.key, { url: gateway.url });
  const agentId: string = (await admin.graphql('mutation { createAgent(input: { name: "Zoe" }) { id } }')).createAgent.id;
  await admin.graphql('mutation ($value: String!) { createSecret(input: { name: "SHOP", value: $value }) { id } }', {
    value: SECRET,
  });
  const input = { name: 'Shop', url: server.url, headersTemplate: { authorization: 'Bearer {{secret:SHOP}}' }, timeoutMs: 10_000 };
  const { createMcpServer } = await admin.graphql(CREATE, { agentId, input });
  expect(createMcpServer).toMatchObject(input);
  const serverId: string = createMcpServer.id;

  const choose = async (remoteName: string, name?: string) =>
    (await admin.graphql(CHOOSE, { serverId, input: { remoteName, name } })).createMcpTool;

  /** Call a tool as the chat does. */
  async function call(name: string, parameters: object = {}) {
    const tool = (await callableTools(own.scopeOf(acme.id), strangerOf(agentId))).find((each) => each.name === name)!;
    return tool.call(parameters, callIn(await seedConversation(acme.id, agentId)));
  }

  const auditOf = async (name: string) =>
    (await database().query('select * from agent.tool_calls where agent_id = $1 and tool_name = $2', [agentId, name])).rows;

  const close = async () => {
    await own.close();
    await gateway.stop();
    await server.close();
  };
  return { acme, own, behavior, server, gateway, admin, agentId, serverId, input, choose, call, auditOf, close };
}
