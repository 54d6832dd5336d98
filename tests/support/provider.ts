import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { startOfflineModel } from '../../start/offline-model/offline-model.ts';
import { listen } from './listen.ts';

/**
 * The model provider of the tests. It responds like the offline model, unless a directive in a source text requests a fault.
 * `[[provider: 429 2 some-id]]` answers 429 to the first two requests with this id; also `500`, `garbage` (no JSON), `hang` (no response)
 * and `slow 400` (delays each response by 400 ms). `worse 9 some-id` answers 429, then garbage, then hangs. `gate 9 some-id` answers
 * nine requests and blocks the rest until a request to `/open/some-id`. `count 0 some-id` only counts; `/seen/some-id` returns
 * the number of requests with this id.
 */
export async function startProvider(port = 0) {
  const model = await startOfflineModel();
  const origin = model.url.replace(/\/v1$/, '');
  const seen = new Map<string, number>();
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (id: string) => gates.get(id) ?? gates.set(id, Promise.withResolvers()).get(id)!;

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const [, counted] = /^\/seen\/([\w-]+)$/.exec(request.url!) ?? [];
    if (counted) return void response.end(String(seen.get(counted) ?? 0));
    const [, opened] = /^\/open\/([\w-]+)$/.exec(request.url!) ?? [];
    if (opened) return void response.end(String(gate(opened).resolve()));
    const [, told, amount = '0', id = ''] = /\[\[provider: (\w+) ?(\d*) ?([\w-]*)\]\]/.exec(body) ?? [];
    const times = (seen.get(id) ?? 0) + 1;
    if (id) seen.set(id, times);
    const fault = told === 'worse' ? (['429', 'garbage'][times - 1] ?? 'hang') : told;
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, Number(amount)));
    else if (fault === 'gate') await (times > Number(amount) && gate(id).promise);
    else if (fault) {
      if (times <= Number(amount)) {
        if (fault === 'hang') return;
        if (fault === 'garbage') return void response.setHeader('content-type', 'application/json').end('{"choices": [{"mess');
        // Cover both headers for an early retry; with `retry-after: 0` the caller chooses the delay.
        const soon: Record<string, string> = fault === '500' ? { 'retry-after': '0' } : { 'retry-after-ms': '20' };
        response.writeHead(Number(fault), { 'content-type': 'application/json', ...soon });
        return void response.end(JSON.stringify({ error: { message: `asked to answer ${fault}` } }));
      }
    }
    const answer = await fetch(origin + request.url, {
      method: request.method,
      headers: { 'content-type': 'application/json' },
      body: body || undefined,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  // A connection that closes while a test sends its next request would fail the test.
  server.keepAliveTimeout = 0;
  const actualPort = await listen(server, port);
  return {
    url: `http://127.0.0.1:${actualPort}/v1`,
    async close() {
      server.closeAllConnections();
      server.close();
      await model.close();
    },
  };
}
