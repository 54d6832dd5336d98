import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { metrics } from 'compiled-gateway/metrics';
import type { OperationTypeNode } from 'graphql';
import { Registry } from 'prom-client';
import { Lifetime } from '../../server/lifetime.ts';
import { createLogger } from '../../server/logging.ts';
import { createServer } from '../../server/server.ts';
import { until } from '../support/until.ts';

test('a stream that opens after the end of its request is ended', async () => {
  let [opened, ended] = [0, 0];
  const lifetime = new Lifetime(1_000);
  const opening = setTimeout(50).then(() => (opened += 1));
  const waiting = lifetime.opening(opening, () => (ended += 1));
  lifetime.end();
  await expect(waiting).rejects.toThrow('The caller disconnected.');
  await until(() => opened === 1 && ended === 1);
});

test('a stream that opens after its wait has failed is ended, too', async () => {
  let ended = 0;
  const lifetime = new Lifetime(1_000);
  const canceled = Promise.reject<number>(new Error('canceled'));
  const opening = setTimeout(50, 1);
  await expect(lifetime.opening(opening, () => (ended += 1), canceled)).rejects.toThrow('canceled');
  await until(() => ended === 1);
});

test('an ended request waits until its work has settled', async () => {
  let settled = false;
  const lifetime = new Lifetime(1_000);
  const waiting = lifetime.within(setTimeout(100).then(() => (settled = true)));
  lifetime.end();
  await expect(waiting).rejects.toThrow('The caller disconnected.');
  expect(settled).toBe(false);
  await lifetime.settled();
  expect(settled).toBe(true);
});

test('metrics count an operation whose caller left as canceled, and one that timed out as a failure', async () => {
  const registry = new Registry();
  const { operation, request } = metrics(registry);
  const failed = async () => ({ errors: [{ message: 'no answer', extensions: { code: 'UNAVAILABLE' } }] });
  const [left, late] = [new Lifetime(1_000), new Lifetime(1)];
  left.end();
  await expect(late.within(setTimeout(100))).rejects.toThrow('longer than');
  for (const { signal } of [left, late]) {
    await operation({ kind: 'query' as OperationTypeNode }, { headers: {}, signal }, failed);
    await request('catalog', () => Promise.reject(new Error('aborted')), { headers: {}, signal }).catch(() => {});
  }
  const text = await registry.metrics();
  for (const outcome of ['canceled', 'UNAVAILABLE']) {
    expect(text).toContain(`graph_operation_seconds_count{kind="query",operation="graphql",outcome="${outcome}"} 1`);
    expect(text).toContain(`graph_fetch_seconds_count{subgraph="catalog",outcome="${outcome}"} 1`);
  }
});

test('a request does not keep its answer in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const lifetime = new Lifetime(1_000);
  const answer = async () => new WeakRef(await lifetime.within(Promise.resolve({})));
  const reference = await answer();
  await until(() => {
    collect();
    return !reference.deref();
  });
  expect(lifetime.signal.aborted).toBe(false);
});

test('a stream whose client leaves before it begins is no failure of the server, unlike one whose source breaks', async () => {
  const log: string[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      log.push(String(line));
      done();
    },
  });
  const server = createServer({ logger: createLogger('info', stream) });
  const broken = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
  server.post('/late', async (_, reply) => {
    await once(reply.raw, 'close');
    return reply.send(Readable.from(['late']));
  });
  server.get('/broken', () => Promise.reject(broken));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const left = new AbortController();
  const late = fetch(`http://127.0.0.1:${port}/late`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
    signal: left.signal,
  });
  await setTimeout(50);
  left.abort();
  await expect(late).rejects.toThrow('aborted');
  expect((await fetch(`http://127.0.0.1:${port}/broken`)).status).toBe(500);
  await server.close();
  expect(log.filter((line) => line.includes('Request failed'))).toHaveLength(1);
});
