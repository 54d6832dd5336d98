import { fastify } from 'fastify';
import { Agent } from 'undici';
import { runProcess } from '../../start/process/run.ts';
import { servePeer } from './serve-peer.ts';

interface Run {
  url: string;
  count: number;
  window: number;
  body: string;
}

/** Send the same body repeatedly over a fixed number of connections. Returns the duration in milliseconds. */
async function sendAll({ url, count, window, body }: Run): Promise<number> {
  const agent = new Agent({ connections: window });
  const { origin, pathname: path } = new URL(url);
  const headers = { 'content-type': 'application/json', 'user-agent': 'bench' };
  let left = count;
  const started = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await agent.request({ origin, path, method: 'POST', headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 204) throw new Error(`${url} answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: window }, lane));
  await agent.close();
  return performance.now() - started;
}

await runProcess('deliveries peer', async () => {
  const app = fastify();
  app.post<{ Body: Run }>('/run', async ({ body }) => ({ ms: await sendAll(body) }));
  return servePeer(app);
});
