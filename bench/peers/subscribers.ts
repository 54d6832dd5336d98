import { setTimeout as wait } from 'node:timers/promises';
import { fastify } from 'fastify';
import { WebSocket } from 'ws';
import { runProcess } from '../../start/process/run.ts';
import { servePeer } from './serve-peer.ts';

interface Open {
  address: string;
  key: string;
  organization: string;
  ids: string[];
  count: number;
}

/** Updates of one subscriber with their arrival times. */
interface Heard {
  sequence: number;
  at: number;
}

const AT_ONCE = 100;
/** Use several loopback addresses, because one has too few ports. */
const PER_ADDRESS = 20_000;
const query =
  'subscription ($id: ID!, $after: Int!) { jobProgress(id: $id, after: $after) { sequence status processedCount successCount failedCount } }';

const groups: { sockets: WebSocket[]; heard: Heard[][] }[] = [];
let opened = 0;

/** Open one subscriber; ready after its first update. */
function subscribe({ address, key, organization }: Open, id: string, heard: Heard[]): Promise<WebSocket> {
  const place = 1 + Math.floor(opened++ / PER_ADDRESS);
  // Choose the local port here, because the system's search is slow for an explicit address.
  const localAddress = place === 1 ? undefined : `127.0.0.${place}`;
  const socket = new WebSocket(address, 'graphql-transport-ws', { perMessageDeflate: false, localAddress });
  const say = (message: object) => socket.send(JSON.stringify(message));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', (code, reason) => reject(new Error(`${address} closed a socket: ${code} ${reason}`)));
    socket.once('open', () => say({ type: 'connection_init', payload: { 'x-api-key': key, 'x-organization': organization } }));
    socket.on('message', (text) => {
      const message = JSON.parse(String(text));
      if (message.type === 'connection_ack') say({ id: '1', type: 'subscribe', payload: { query, variables: { id, after: 0 } } });
      else if (message.type === 'next' && message.payload.data) {
        heard.push({ sequence: message.payload.data.jobProgress.sequence, at: performance.timeOrigin + performance.now() });
        resolve(socket);
      } else reject(new Error(`${address} answered ${text}`));
    });
  });
}

async function open(given: Open): Promise<{ group: number }> {
  const heard = Array.from({ length: given.count }, (): Heard[] => []);
  const sockets: WebSocket[] = [];
  let next = 0;
  const lane = async () => {
    for (let place = next++; place < given.count; place = next++) {
      sockets.push(await subscribe(given, given.ids[place % given.ids.length]!, heard[place]!));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { group: groups.push({ sockets, heard }) - 1 };
}

/** Delivery time of each change to each subscriber, by the first update that contains it. */
async function close({ group, commits }: { group: number; commits: Record<number, number> }) {
  const { sockets, heard } = groups[group]!;
  const last = Math.max(...Object.keys(commits).map(Number));
  for (let tries = 0; heard.some((all) => all.at(-1)!.sequence < last); tries += 1) {
    if (tries > 200) throw new Error('A subscriber did not hear everything');
    await wait(100);
  }
  for (const socket of sockets) socket.terminate();
  const latencies: number[] = [];
  let updates = 0;
  for (const all of heard) {
    let seen = all[0]!.sequence;
    for (const { sequence, at } of all.slice(1)) {
      updates += 1;
      for (seen += 1; seen < sequence; seen += 1) latencies.push(at - commits[seen]!);
      latencies.push(at - commits[sequence]!);
    }
  }
  const sorted = Float64Array.from(latencies).sort();
  const share = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!;
  groups[group] = { sockets: [], heard: [] };
  return { updates, p50: share(0.5), p99: share(0.99) };
}

await runProcess('subscribers', async () => {
  const app = fastify({ requestTimeout: 0, bodyLimit: 16_777_216 });
  app.post<{ Body: Open }>('/open', ({ body }) => open(body));
  app.post<{ Body: Parameters<typeof close>[0] }>('/close', ({ body }) => close(body));
  return servePeer(app);
});
