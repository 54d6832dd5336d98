import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { listen } from '../listen.ts';
import { root } from '../npm.ts';
import { deleteSchedules, type StoppedWorker } from './schedules.ts';

export interface Reply {
  id: number;
  addresses?: Record<string, string>;
  error?: string;
}

/**
 * Serves `openGateway` of all test files: passes its requests on to the host process, which starts at the first one. Also removes what
 * stopped workers leave on Temporal.
 */
export async function startBroker() {
  const waiting = new Map<number, (reply: Reply) => void>();
  let host: Promise<ChildProcess> | undefined;
  let requests = 0;

  async function ask(request: object): Promise<Reply> {
    requests += 1;
    const id = requests;
    host ??= startHost();
    const child = await host;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      child.send({ id, ...request });
    });
  }

  async function startHost(): Promise<ChildProcess> {
    const child = spawn(process.execPath, ['--import', './start/typescript.mjs', 'tests/support/hosted/host.ts'], {
      cwd: root,
      // Its log is on standard output; a crash is on standard error.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.once('exit', () => {
      for (const [id, answer] of waiting) answer({ id, error: 'The host of the gateways ended' });
      waiting.clear();
    });
    // Its first message says that it is ready.
    await once(child, 'message');
    child.on('message', (reply: Reply) => {
      waiting.get(reply.id)?.(reply);
      waiting.delete(reply.id);
    });
    return child;
  }

  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const given = JSON.parse(body) as object | { stopped: StoppedWorker };
    response.end(JSON.stringify(await ('stopped' in given ? deleteSchedules(given.stopped) : ask(given))));
  });
  // A connection that closes while a test sends its next request would fail the test.
  server.keepAliveTimeout = 0;
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeIdleConnections();
      const child = await host;
      if (!child || child.exitCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}
