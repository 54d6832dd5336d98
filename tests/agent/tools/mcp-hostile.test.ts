import { Readable } from 'node:stream';
import { messagesOf } from '../../../subgraphs/agent/mcp-servers/mcp-session.ts';
import { listRemoteTools } from '../../../subgraphs/agent/mcp-servers/remote-tools.ts';
import { unitOfWork } from '../../support/cpu-time.ts';
import { CHOOSE, LIST, openMcpServer } from './open-mcp-server.ts';

const { acme, admin, own, agentId, behavior, serverId, choose, call, close } = await openMcpServer();
afterAll(close);
const { id: toolId } = await choose('fails');
await admin.send('PATCH', `/api/${acme.slug}/agents/${agentId}/tools/${toolId}`, { timeoutMs: 5_000 });

const SESSION = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } };
const TEXT = JSON.stringify({ content: [{ type: 'text', text: 'done' }], isError: true });

/** Units of work for a result of 1 MB. Checking each entry took hundreds. */
const MAX_UNITS = 100;

const entries = Array.from({ length: 150_000 }, (_, at): [string, number] => [`x${at}`, 1]);

/** Answer requests of tools with this JSON text after these messages. Returns the answers of the client to requests. */
function serve(result: string, messages: object[] = [], session: object = SESSION): unknown[] {
  const answers: unknown[] = [];
  behavior.intercept = (request, response) => {
    if (request.method !== 'POST') return Boolean(response.writeHead(405).end());
    void request
      .setEncoding('utf8')
      .toArray()
      .then((parts) => {
        const { id, method } = JSON.parse(parts.join(''));
        if (method === undefined) answers.push(id);
        if (method === undefined) return setTimeout(() => response.writeHead(202).end(), 200);
        if (id === undefined) return response.writeHead(202).end();
        const isTool = method.startsWith('tools/');
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (isTool) for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
        const text = isTool ? result : JSON.stringify(session);
        return response.write(`data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}\n\n`);
      });
    return true;
  };
  return answers;
}

const pings = (count: number) => Array.from({ length: count }, (_, at) => ({ jsonrpc: '2.0', id: `p${at}`, method: 'ping' }));
const TOO_MANY = 'The MCP server sent more than 32 messages in one response.';

/** Answer each request with this JSON text. */
const answerWith =
  (text: (message: { id: number; method: string }) => string): typeof behavior.intercept =>
  (request, response) => {
    if (request.method !== 'POST') return Boolean(response.writeHead(405).end());
    void request
      .setEncoding('utf8')
      .toArray()
      .then((parts) => {
        const message = JSON.parse(parts.join(''));
        if (message.id === undefined) return response.writeHead(202).end();
        return response.writeHead(200, { 'content-type': 'application/json' }).end(text(message));
      });
    return true;
  };

/** The CPU time, which a busy machine does not change, and the memory of work in this process, with its threads. */
async function costOf(work: () => Promise<void>): Promise<{ units: number; bytes: number }> {
  const unit = unitOfWork();
  const before = process.cpuUsage();
  const memory = process.memoryUsage.rss();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { units: (user + system) / unit, bytes: process.memoryUsage.rss() - memory };
}

test('requests of a server before its result get no answer, and a flood of them is an error', async () => {
  const answers = serve(TEXT, pings(20));
  expect(await call('fails')).toEqual({ error: 'The tool failed: done' });
  serve(TEXT, pings(5_000));
  expect(await call('fails')).toEqual({ error: TOO_MANY });
  expect(answers).toEqual([]);
});

test('a flood of messages around the answers neither blocks the process nor takes its memory', async () => {
  const flood = Array(25_500).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join();
  const answer = ({ id, method }: { id: number; method: string }) =>
    `{"jsonrpc":"2.0","id":${id},"result":${method === 'initialize' ? JSON.stringify(SESSION) : '{"tools":[],"nextCursor":"next"}'}}`;
  behavior.intercept = answerWith((message) =>
    message.method === 'initialize' ? answer(message) : `[${flood},${answer(message)},${flood}]`,
  );
  const work = await costOf(() => expect(listRemoteTools(own.scopeOf(acme.id), serverId)).rejects.toThrow(TOO_MANY));
  expect(work.units).toBeLessThan(MAX_UNITS);
  expect(work.bytes).toBeLessThan(300_000_000);
  // The session itself.
  behavior.intercept = answerWith((message) => `[${JSON.stringify(pings(100)).slice(1, -1)},${answer(message)}]`);
  await expect(listRemoteTools(own.scopeOf(acme.id), serverId)).rejects.toThrow(TOO_MANY);
});

test('all pages of a list together have a limit of bytes, and only the awaited id counts', async () => {
  let pages = 0;
  const tool = { name: 'large', description: 'x'.repeat(300_000), inputSchema: {} };
  behavior.intercept = answerWith(({ id, method }) => {
    if (method === 'initialize')
      return JSON.stringify([
        { jsonrpc: '2.0', id: 99, result: {} },
        { jsonrpc: '2.0', id, result: SESSION },
      ]);
    pages += 1;
    return JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [tool], nextCursor: `${pages}` } });
  });
  await expect(listRemoteTools(own.scopeOf(acme.id), serverId)).rejects.toThrow(/larger than allowed/);
  expect(pages).toBe(7);
  behavior.intercept = answerWith(({ id, method }) =>
    JSON.stringify({ jsonrpc: '2.0', id: method === 'initialize' ? id : id + 1, result: SESSION }),
  );
  await expect(listRemoteTools(own.scopeOf(acme.id), serverId)).rejects.toThrow(/no answer to the request/);
});

test.each(['\r', '\n', 'data:\r', ':\n'])('an event stream of many lines %j is read in linear time', async (line) => {
  behavior.intercept = (request, response) => {
    if (request.method !== 'POST') return Boolean(response.writeHead(405).end());
    return Boolean(response.writeHead(200, { 'content-type': 'text/event-stream' }).end(line.repeat(60_000 / line.length)));
  };
  await expect(listRemoteTools(own.scopeOf(acme.id), serverId)).rejects.toThrow(/no answer|did not answer with JSON/);
  const events = messagesOf(Readable.from([...Array(32)].map(() => Buffer.from(line.repeat(65_536 / line.length)))));
  const unit = unitOfWork();
  const before = process.threadCpuUsage();
  for await (const event of events) expect(event).toMatch(/^\n*$/);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / unit).toBeLessThan(MAX_UNITS);
});

test('schemas and results that are nested too deeply are errors of the server', async () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  serve(`{"tools":[{"name":"deep","inputSchema":{"type":"object","properties":{"a":${deep}}}}]}`);
  const lists = await Promise.all([1, 2, 3].map(() => admin.refusal(LIST, { serverId })));
  expect(lists).toEqual(Array(3).fill({ code: 'UNPROCESSABLE', message: 'The response is nested too deeply.' }));
  serve(`{"content":[],"structuredContent":${deep}}`);
  const { status, body } = await admin.post(`/api/${acme.slug}/agents/${agentId}/tools/${toolId}/test`, {});
  expect([status, body.data?.error]).toEqual([200, 'The response is nested too deeply.']);
  expect(await call('fails')).toEqual({ error: 'The response is nested too deeply.' });
});

test('a tool whose schema is nested too deeply is refused with the reason, and the others of its server stay usable', async () => {
  const deep = `${'{"items":'.repeat(200)}{}${'}'.repeat(200)}`;
  const tools = `{"name":"deep","inputSchema":{"type":"object","properties":{"a":${deep}}}},{"name":"flat","inputSchema":{"type":"object"}}`;
  serve(`{"tools":[${tools},{"name":"fails","inputSchema":{"type":"object"}}]}`);
  const { mcpTools } = await admin.graphql(LIST.replace('name description', 'name fault description'), { serverId });
  expect(mcpTools).toMatchObject([
    { name: 'deep', inputSchema: {}, fault: 'inputSchema is nested too deeply' },
    { name: 'flat', inputSchema: { type: 'object' }, fault: null },
    { name: 'fails' },
  ]);
  expect(await admin.refusal(CHOOSE, { serverId, input: { remoteName: 'deep' } })).toEqual({
    code: 'UNPROCESSABLE',
    message: 'The tool cannot be used: inputSchema is nested too deeply',
  });
  expect((await choose('flat')).name).toBe('flat');
  await admin.graphql('mutation ($serverId: ID!) { refreshMcpTools(serverId: $serverId) { id } }', { serverId });
  const { tools: chosen } = await admin.graphql('query ($agentId: ID!) { tools(agentId: $agentId) { name enabled } }', { agentId });
  expect(chosen).toEqual(
    expect.arrayContaining([
      { name: 'flat', enabled: true },
      { name: 'fails', enabled: true },
    ]),
  );
});

test('texts and addresses of a result that are no text are left out', async () => {
  const content = [
    { type: 'text', text: { toString: 1, valueOf: 1 } },
    { type: 'resource', resource: { uri: { toString: 1 } } },
    { type: 'text', text: 'done' },
  ];
  serve(JSON.stringify({ content, isError: true }));
  expect(await call('fails')).toEqual({ error: 'The tool failed: [unknown]\ndone' });
});

test.each([
  ['a result', 'call', `{"content":[${'{},'.repeat(300_000)}{}]}`, SESSION],
  ['a list of tools', 'list', `{"tools":[${'{},'.repeat(300_000)}{}]}`, SESSION],
  ['a session', 'call', TEXT, { ...SESSION, capabilities: { experimental: Object.fromEntries(entries) } }],
])('%s with a flood of malformed entries does not block the process', async (_, operation, result, session) => {
  serve(result, [], session);
  const work = await costOf(async () => {
    if (operation === 'call') return void (await call('fails'));
    return expect(listRemoteTools(own.scopeOf(acme.id), serverId)).rejects.toThrow(
      /^The MCP server answered with a malformed list of tools\.$/,
    );
  });
  expect(work.units).toBeLessThan(MAX_UNITS);
  expect(work.bytes).toBeLessThan(300_000_000);
});
