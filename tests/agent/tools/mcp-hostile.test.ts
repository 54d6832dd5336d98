import { listRemoteTools } from '../../../subgraphs/agent/mcp-servers/tools.ts';
import { unitOfWork } from '../../support/cpu-time.ts';
import { LIST, openMcpServer } from './open-mcp-server.ts';

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

test('a server that floods the client with requests gets few answers, and its result counts', async () => {
  const pings = Array.from({ length: 5_000 }, (_, at) => ({ jsonrpc: '2.0', id: `p${at}`, method: 'ping' }));
  const answers = serve(TEXT, pings);
  expect(await call('fails')).toEqual({ error: 'The tool failed: done' });
  expect(answers.length).toBeGreaterThan(0);
  expect(answers.length).toBeLessThanOrEqual(16);
});

test('schemas and results that are nested too deeply are errors of the server', async () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  serve(`{"tools":[{"name":"deep","inputSchema":{"type":"object","properties":{"a":${deep}}}}]}`);
  const lists = await Promise.all([1, 2, 3].map(() => admin.refusal(LIST, { serverId })));
  expect(lists).toEqual(Array(3).fill({ code: 'UNPROCESSABLE', message: 'The data is nested too deeply.' }));
  serve(`{"content":[],"structuredContent":${deep}}`);
  const { status, body } = await admin.post(`/api/${acme.slug}/agents/${agentId}/tools/${toolId}/test`, {});
  expect([status, body.data?.error]).toEqual([200, 'The response is nested too deeply.']);
  expect(await call('fails')).toEqual({ error: 'The response is nested too deeply.' });
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
  const unit = unitOfWork();
  const before = process.cpuUsage();
  const memory = process.memoryUsage.rss();
  // In this process, unlike the requests of the other tests.
  if (operation === 'call') await call('fails');
  else
    await expect(listRemoteTools(own.scopeOf(acme.id), serverId)).rejects.toThrow(
      /^The MCP server answered with a malformed list of tools\.$/,
    );
  const { user, system } = process.cpuUsage(before);
  // A busy machine delays the process, but does not change its CPU time.
  expect((user + system) / unit).toBeLessThan(MAX_UNITS);
  expect(process.memoryUsage.rss() - memory).toBeLessThan(300_000_000);
});
