import { caller } from '../../support/client.ts';
import { seedOrganization } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { CHOOSE, CREATE, LIST, openMcpServer, SECRET } from './open-mcp-server.ts';

const { acme, server, gateway, admin, agentId, serverId, input, choose, close } = await openMcpServer();
afterAll(close);

test('the tools of a server are listed over all pages, with the secret in its headers only', async () => {
  const { mcpTools } = await admin.graphql(LIST, { serverId });
  expect(mcpTools.map(({ name }: { name: string }) => name)).toEqual(['getStock', 'fails', 'echo-all', 'hostile', 'slow']);
  expect(mcpTools[1]).toMatchObject({ description: 'Fails with ••••.', tool: null });
  expect(mcpTools[0].inputSchema).toEqual({ type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] });
  expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true);
  // The session is closed.
  await until(() => server.sessions.size === 0);
  expect(server.requests.map(({ method }) => method)).not.toContain('GET');
});

test('tools that cannot be used, do not exist, or are chosen already are refused', async () => {
  await choose('fails');
  const refusal = (remoteName: string, name?: string) => admin.refusal(CHOOSE, { serverId, input: { remoteName, name } });
  expect(await refusal('hostile')).toEqual({
    code: 'UNPROCESSABLE',
    message: expect.stringContaining('The tool cannot be used: inputSchema cannot be used'),
  });
  expect(await refusal('missing')).toEqual({ code: 'NOT_FOUND', message: 'The MCP server has no tool with this name.' });
  expect(await refusal('fails', 'other')).toEqual({ code: 'CONFLICT', message: 'The tool fails is already chosen.' });
  // The name is checked before the server is asked.
  expect(await refusal('missing', 'fails')).toMatchObject({ code: 'CONFLICT' });
  expect(await refusal('hostile', 'Upper')).toMatchObject({ code: 'INVALID_INPUT' });
});

test.each([
  [{ name: '' }, 'name must not be empty'],
  [{ url: 'http://10.0.0.1/mcp' }, 'url is refused: The address is not on the public internet.'],
  [{ url: 'http://mcp.default.svc/' }, 'url is refused: The address is not on the public internet.'],
  [{ url: 'stdio:server' }, 'url must be an http or https URL'],
  [{ url: 'https://{{secret:SHOP}}.example.com' }, 'url must be an http or https URL'],
  [{ headersTemplate: { a: '{{params.x}}' } }, 'headersTemplate of an MCP server must not have {{params}} placeholders'],
  [{ headersTemplate: { host: 'x' } }, 'headersTemplate must not set the header host'],
  [{ timeoutMs: 100 }, 'timeoutMs must be at least 500'],
])('the server %j is rejected', async (more, message) => {
  expect(await admin.refusal(CREATE, { agentId, input: { ...input, name: 'Bad', ...more } })).toEqual({
    code: 'INVALID_INPUT',
    message,
  });
});

test('servers belong to an agent of the organization, and only admins use them', async () => {
  const stranger = caller((await seedOrganization()).key, { url: gateway.url });
  const member = caller((await acme.addMember('member')).key, { url: gateway.url });
  const operations: [string, object][] = [
    [LIST, { serverId }],
    [CHOOSE, { serverId, input: { remoteName: 'fails' } }],
    ['mutation ($id: ID!) { updateMcpServer(id: $id, input: { name: "Mine" }) { id } }', { id: serverId }],
    ['mutation ($id: ID!) { refreshMcpTools(serverId: $id) { id } }', { id: serverId }],
    ['mutation ($id: ID!) { deleteMcpServer(id: $id) { id } }', { id: serverId }],
    [CREATE, { agentId, input: { ...input, name: 'Theirs' } }],
    ['query ($agentId: ID!) { mcpServers(agentId: $agentId) { id } }', { agentId }],
  ];
  for (const [text, variables] of operations) {
    expect(await stranger.refusal(text, { ...variables })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await member.refusal(text, { ...variables })).toMatchObject({ code: 'FORBIDDEN' });
  }
  // The name is checked before the host.
  for (const url of [input.url, 'http://localhost/mcp'])
    expect(await admin.refusal(CREATE, { agentId, input: { ...input, url } })).toEqual({
      code: 'CONFLICT',
      message: 'An MCP server with the name Shop already exists.',
    });
});

test('a changed URL applies to the chosen tools, and a deleted server deletes them', async () => {
  await choose('getStock');
  const update =
    'mutation ($id: ID!, $input: McpServerChange!) { updateMcpServer(id: $id, input: $input) { name url headersTemplate } }';
  const change = { url: `${server.url}?x=1`, headersTemplate: null };
  const { updateMcpServer } = await admin.graphql(update, { id: serverId, input: change });
  expect(updateMcpServer).toEqual({ name: 'Shop', url: change.url, headersTemplate: {} });
  const { tools } = await admin.graphql('query ($agentId: ID!) { tools(agentId: $agentId) { endpointUrl } }', { agentId });
  expect(new Set(tools.map(({ endpointUrl }: { endpointUrl: string }) => endpointUrl))).toEqual(new Set([change.url]));
  await admin.graphql('mutation ($id: ID!) { deleteMcpServer(id: $id) { id deleted } }', { id: serverId });
  expect(
    await admin.graphql('query ($agentId: ID!) { tools(agentId: $agentId) { id } mcpServers(agentId: $agentId) { id } }', {
      agentId,
    }),
  ).toEqual({ tools: [], mcpServers: [] });
});

test('a repeated Idempotency-Key chooses a tool once', async () => {
  const { createMcpServer } = await admin.graphql(CREATE, { agentId, input: { ...input, name: 'Again' } });
  const variables = { serverId: createMcpServer.id, input: { remoteName: 'getStock', name: 'chosen_once' } };
  const send = () => admin.post('/graphql', { query: CHOOSE, variables }, { 'idempotency-key': 'once' });
  const { body } = await send();
  expect(body.data.createMcpTool).toMatchObject({ name: 'chosen_once' });
  expect((await send()).body).toEqual(body);
});
