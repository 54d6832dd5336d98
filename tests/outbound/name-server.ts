import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';

const A = 1;
const TXT = 16;
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** A name server that returns the IPv4 addresses of `addressesOf` and the texts of `textsOf`. It never responds without them. */
export async function startNameServer(addressesOf: (name: string) => string[], textsOf: (name: string) => string[] = () => []) {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const { name, type, end } = questionIn(query);
    asked.push(name);
    const addresses = type === A ? addressesOf(name) : [];
    const texts = type === TXT ? textsOf(name) : [];
    const records = [...addresses.map(addressRecord), ...texts.map(textRecord)];
    if (records.length > 0) socket.send(answerTo(query.subarray(0, end), records), port, address);
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

// The name of the question, the type, class IN, no lifetime, and the length of the data.
const recordHead = (type: number, length: number) => [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, length];
const addressRecord = (address: string) => Buffer.from([...recordHead(A, 4), ...address.split('.').map(Number)]);
const textRecord = (text: string) => Buffer.from([...recordHead(TXT, text.length + 1), text.length, ...Buffer.from(text)]);

function answerTo(question: Buffer, records: Buffer[]): Buffer {
  const header = Buffer.from(question);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(records.length, 6);
  header.fill(0, 8, 12);
  return Buffer.concat([header, ...records]);
}
