import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { environmentOf } from '../support/environment.ts';
import { root } from '../support/npm.ts';
import { startGateway } from '../support/system.ts';
import { readUntil } from '../support/until.ts';

test('a stopping gateway reports it on /readyz first and still accepts connections, even if it gets SIGTERM twice', async () => {
  const gateway = await startGateway({ SHUTDOWN_DELAY: '4' });
  const stopped = gateway.stop();
  const ready = await readUntil(
    () => fetch(`${gateway.url}/readyz`),
    ({ status }) => status !== 200,
  );
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'closing' }]);

  // A supervisor signals all processes of a service, and npm scripts pass the signal on.
  process.kill(gateway.pid, 'SIGTERM');
  const statuses: string[] = [];
  while (statuses.length < 5) {
    // Use separate connections, because each response closes its connection.
    const response = await fetch(`${gateway.url}/api/organizations/get`).catch((error: Error) => error);
    statuses.push(response instanceof Error ? response.message : `${response.status} ${response.headers.get('connection')}`);
  }
  expect(new Set(statuses)).toEqual(new Set(['401 close']));
  await stopped;
  await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
});

test.each([
  // The first process of a container ignores signals without a handler.
  ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
  ['the end of its parent', (child: ChildProcess) => child.disconnect()],
])('a gateway that starts exits on %s', async (_, end) => {
  const silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const DATABASE_URL = `postgres://user@127.0.0.1:${(silent.address() as AddressInfo).port}/none`;
  const child = spawn(process.execPath, ['--import', './start/typescript.mjs', 'start/gateway.ts'], {
    cwd: root,
    env: { ...environmentOf({ databaseUrl: DATABASE_URL }), PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  await once(silent, 'connection');
  end(child);
  // Soon after, the process would exit by itself because the database does not answer.
  const [errors, exit] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect([errors, exit]).toEqual(['', [1, null]]);
  silent.close();
});

const bench = `
  import { setTimeout as wait } from 'node:timers/promises';
  import { runBench } from './bench/run.ts';
  await runBench(async (stack) => {
    stack.defer(async () => {
      console.log('closing');
      await wait(500);
      console.log('closed');
    });
    console.log('open');
    await wait(60_000);
  });`;

test('a benchmark that gets SIGTERM twice closes its servers', async () => {
  const args = ['--import', './start/typescript.mjs', '--input-type=module', '-e', bench];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    // The second one arrives while it closes.
    if (/(open|closing)\n$/.test(output)) child.kill('SIGTERM');
  });
  const [code] = await once(child, 'close');
  expect([output, code]).toEqual(['open\nclosing\nclosed\n', 0]);
});
