import { openMcpServer } from './open-mcp-server.ts';

const { behavior, choose, call, close } = await openMcpServer();
afterAll(close);

test('a server that floods the client with requests gets few answers, and its result counts', async () => {
  await choose('fails');
  let answers = 0;
  behavior.intercept = (request, response) => {
    if (request.method !== 'POST') return Boolean(response.writeHead(405).end());
    void request
      .setEncoding('utf8')
      .toArray()
      .then((parts) => {
        const { id, method } = JSON.parse(parts.join(''));
        if (method === undefined) {
          answers += 1;
          return setTimeout(() => response.writeHead(202).end(), 200);
        }
        if (id === undefined) return response.writeHead(202).end();
        const session = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } };
        const result = method === 'initialize' ? session : { content: [{ type: 'text', text: 'done' }], isError: true };
        const pings = Array.from({ length: 5_000 }, (_, at) => ({ jsonrpc: '2.0', id: `p${at}`, method: 'ping' }));
        const messages = [...(method === 'tools/call' ? pings : []), { jsonrpc: '2.0', id, result }];
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
        return response;
      });
    return true;
  };
  expect(await call('fails')).toEqual({ error: 'The tool failed: done' });
  expect(answers).toBeGreaterThan(0);
  expect(answers).toBeLessThanOrEqual(16);
});
