import { freePort } from '../../start/servers/ports.ts';
import { serveStatus } from '../../start/telemetry/status-server.ts';

test('a path is served with any query string, such as that of a probe or a scraper', async () => {
  const port = await freePort();
  const answer = async () => ({ status: 200, contentType: 'text/plain', body: 'up' });
  const server = await serveStatus('127.0.0.1', port, (path) => (path === '/metrics' ? answer() : undefined));
  const statusOf = async (path: string, method = 'GET') => (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
  expect([await statusOf('/metrics'), await statusOf('/metrics?collect=all', 'HEAD')]).toEqual([200, 200]);
  expect([await statusOf('/'), await statusOf('/metrics', 'POST')]).toEqual([404, 404]);
  await server.close();
});
