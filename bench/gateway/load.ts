import { connect, type Socket } from 'node:net';
import { Message } from './message.ts';

export interface Load {
  url: string;
  body: string;
  connections: number;
  /** Expected response size in bytes; a different content length is a failure. */
  bytes: number;
}

export interface Outcome {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  requests: number;
}

/** Keep several connections busy for some seconds; each sends a request after the previous response is complete. */
export async function load({ url, body, connections, bytes }: Load, seconds: number): Promise<Outcome> {
  const { hostname, port, pathname } = new URL(url);
  const request = Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\naccept: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const times: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    Array.from({ length: connections }, () => client({ hostname, port: Number(port), request, bytes, end, times })),
  );
  const took = (performance.now() - start) / 1_000;
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { requestsPerSecond: sorted.length / took, p50: at(0.5), p99: at(0.99), requests: sorted.length };
}

interface Client {
  hostname: string;
  port: number;
  request: Buffer;
  bytes: number;
  end: number;
  times: number[];
}

function client({ hostname, port, request, bytes, end, times }: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port, noDelay: true });
    let sent = 0;
    let answer = new Message();
    const send = () => {
      sent = performance.now();
      answer = new Message();
      socket.write(request);
    };
    const fail = (reason: string) => {
      socket.destroy();
      reject(new Error(`${hostname}:${port} ${reason}`));
    };
    socket.once('connect', send);
    socket.on('data', (chunk) => {
      if (!answer.add(chunk)) return;
      if (!answer.head.startsWith('http/1.1 200')) return fail(`answered ${answer.head.slice(9, 12)}`);
      if (answer.length !== undefined && answer.length !== bytes) return fail('answered something else under load');
      const now = performance.now();
      times.push(now - sent);
      if (now < end) return send();
      socket.end();
      resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => fail('closed the connection'));
  });
}
