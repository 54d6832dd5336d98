import { once } from 'node:events';
import { connect } from 'node:net';
import { createLogger } from '../../../server/logging.ts';
import { createServer, watchOverload } from '../../../server/server.ts';
import { until } from '../../support/until.ts';

test('a process is overloaded while its event loop is late, and recovers', async () => {
  const overload = watchOverload(100, 20);
  let isBusy = true;
  const block = () => {
    const end = performance.now() + 300;
    while (performance.now() < end);
    if (isBusy) setImmediate(block);
  };
  block();
  await until(() => overload.isOverloaded());
  isBusy = false;
  await until(() => !overload.isOverloaded());
  overload.stop();
});

test('one long pause is not overload, and a delay of 0 disables the watch', async () => {
  const overload = watchOverload(100, 20);
  const end = performance.now() + 300;
  while (performance.now() < end);
  await new Promise((resolve) => setImmediate(resolve));
  expect(overload.isOverloaded()).toBe(false);
  overload.stop();
  expect(watchOverload(0).isOverloaded()).toBe(false);
});

test('during overload new requests get 503 and Retry-After before their body, accepted ones finish, and health checks pass', async () => {
  let overloaded = false;
  const app = createServer({
    logger: createLogger('silent'),
    overload: { isOverloaded: () => overloaded, stop: () => {} },
  });
  const accepted = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  app.get('/slow', async () => {
    accepted.resolve();
    await finish.promise;
    return 'done';
  });
  app.post('/work', async () => 'done');
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const slow = fetch(`${url}/slow`);
  await accepted.promise;
  overloaded = true;

  // The body never arrives completely.
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write('POST /work HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
  const [answer] = await once(socket, 'data');
  socket.destroy();
  expect(String(answer)).toMatch(/^HTTP\/1\.1 503 .*retry-after: \d.*The service is overloaded/is);
  for (const path of ['/healthz', '/readyz', '/readyz?from=probe']) expect((await fetch(url + path)).status).toBe(200);
  finish.resolve();
  expect(await (await slow).text()).toBe('done');

  overloaded = false;
  expect((await fetch(`${url}/work`, { method: 'POST' })).status).toBe(200);
  await app.close();
});
