import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { type WebSocket, WebSocketServer } from 'ws';
import { runProcess } from '../../start/process/run.ts';

const READ = {
  name: 'read',
  text: `select sequence::int, status, processed_count as "processedCount", success_count as "successCount", failed_count as "failedCount"
           from catalog.job_changes where job_id = $1 and sequence > $2 order by sequence`,
};

interface Job {
  sockets: Set<WebSocket>;
  seen: number;
  busy: boolean;
  again: boolean;
}

/** A minimal graphql-ws server with the product's subscriber behavior: ten folded updates per second. */
await runProcess('broadcast peer', async () => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
  const jobs = new Map<string, Job>();
  const nextOf = (update: object) => JSON.stringify({ id: '1', type: 'next', payload: { data: { jobProgress: update } } });

  async function tell(id: string, job: Job): Promise<void> {
    job.again = true;
    if (job.busy) return;
    job.busy = true;
    while (job.again) {
      job.again = false;
      const { rows } = await pool.query({ ...READ, values: [id, job.seen] });
      if (rows.length > 0) {
        job.seen = rows.at(-1).sequence;
        const text = nextOf(rows.at(-1));
        for (const socket of job.sockets) socket.send(text);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    job.busy = false;
  }

  async function join(id: string, socket: WebSocket): Promise<void> {
    const { rows } = await pool.query({ ...READ, values: [id, 0] });
    const job = jobs.get(id) ?? { sockets: new Set(), seen: rows.at(-1).sequence, busy: false, again: false };
    jobs.set(id, job);
    socket.send(nextOf(rows.at(-1)));
    job.sockets.add(socket);
    socket.once('close', () => job.sockets.delete(socket));
  }

  const listener = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await listener.connect();
  listener.on('notification', ({ payload }) => {
    const job = jobs.get(payload!);
    if (job && job.sockets.size > 0) void tell(payload!, job);
  });
  await listener.query('listen job_changes');

  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) =>
    socket.on('message', (text) => {
      const { type, payload } = JSON.parse(String(text));
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
      if (type === 'subscribe') void join(payload.variables.id, socket);
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    addresses: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    async close() {
      server.closeAllConnections();
      server.close();
      await listener.end();
      await pool.end();
    },
  };
});
