import type { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { Answer } from 'compiled-gateway';
import type { FastifyReply } from 'fastify';
import { sendEvents } from '../../rest-adapter/answer/answer.ts';
import type { Endpoint } from '../../rest-adapter/endpoint.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';

const event: Answer = { data: JSON.stringify('x'.repeat(70_000)) };
const endpoint = {
  route: { row: { stream: {} }, surface: catalog, name: 'GET /events' },
  payload: ({ data }: Answer) => data,
} as unknown as Endpoint;

/** Send these events after the first one. Returns the body of the response, and the function that ends the source. */
function send(rest: () => AsyncGenerator<Answer>) {
  let body: PassThrough | undefined;
  const reply = {
    code: () => reply,
    headers: () => reply,
    send: (stream: PassThrough) => {
      body = stream;
    },
  };
  const events = rest();
  const end = jest.spyOn(events, 'return');
  sendEvents(endpoint, { first: event, rest: events }, reply as unknown as FastifyReply);
  return { body: body!, end };
}

test('a client that reads slowly adds no listeners to the response', async () => {
  const { body } = send(async function* () {
    for (let count = 0; count < 50; count++) yield event;
  });
  const before = body.listenerCount('close');
  let most = 0;
  for await (const _ of body) most = Math.max(most, body.listenerCount('close') - before);
  // The reader and the wait add listeners of their own.
  expect(most).toBeLessThanOrEqual(3);
});

test('an event after the client has gone ends the source', async () => {
  const next = Promise.withResolvers<Answer>();
  const { body, end } = send(async function* () {
    for (;;) yield await next.promise;
  });
  body.resume();
  await setImmediate();
  body.destroy();
  await setImmediate();
  next.resolve(event);
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(end).toHaveBeenCalledTimes(1);
});
