import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';

const A = 1;
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** A name server that returns the IPv4 addresses of `addressesOf`. It never responds without addresses or for IPv6. */
export async function startNameServer(addressesOf: (name: string) => string[]) {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const { name, type, end } = questionIn(query);
    asked.push(name);
    const addresses = type === A ? addressesOf(name) : [];
    if (addresses.length > 0) socket.send(answerTo(query.subarray(0, end), addresses), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closing.push(() => socket.close());
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked };
}

/** The first question of a query: length-prefixed labels, a type and a class. */
function questionIn(query: Buffer): { name: string; type: number; end: number } {
  const parts: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    parts.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: parts.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, addresses: string[]): Buffer {
  const header = Buffer.from(question);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.fill(0, 8, 12);
  // The name of the question, type A, class IN, no lifetime, four bytes.
  const records = addresses.map((each) => Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...each.split('.').map(Number)]));
  return Buffer.concat([header, ...records]);
}
