import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  path: string;
  body: { messages: { role: string; content: string }[]; model: string };
}

export type Turn = (response: ServerResponse, request: Received) => void;

/** A provider that returns the given responses in order and repeats the last. */
export async function startProvider(...turns: Turn[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    received.push({ path: request.url ?? '', body });
    turns[Math.min(received.length, turns.length) - 1]?.(response, received.at(-1)!);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Turn =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const raw =
  (body: string, type = 'application/json'): Turn =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(body);

export const fault = (code: string | null, message = 'no') => ({
  error: { message, type: 'some_error', param: null, code },
});

/** A completion with this text, or this object as JSON. */
export const says = (content: unknown): Turn =>
  json(200, {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'small-2026',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', refusal: null, content: typeof content === 'string' ? content : JSON.stringify(content) },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
