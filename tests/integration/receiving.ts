import { caller } from '../support/client.ts';
import { createDatabase } from '../support/database.ts';
import { openGateway } from '../support/gateway.ts';
import { database } from '../support/seed.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { openIntegration } from './integration.ts';

/** A gateway on a database without a worker, so that only sweeps of the test send deliveries, and a local receiver. */
export async function startReceiving(reply?: Parameters<typeof startReceiver>[0], env: Record<string, string> = {}) {
  const own = await createDatabase();
  const receiver = await startReceiver(reply);
  const gateway = await openGateway({ DATABASE_URL: own.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1', ...env });
  const system = { url: gateway.url, databaseUrl: own.url };
  const pool = database(own.url);
  return {
    receiver,
    gateway,
    pool,
    system,
    /** Send due deliveries once, and return the response of the sweeper. */
    async sweep() {
      const authorization = 'Bearer the-secret-of-the-scheduler';
      return (await caller(undefined, system).post('/api/cron/webhook-sweep', undefined, { authorization })).body;
    },
    /** Make all scheduled attempts due. */
    skipWaits: () => pool.query('update webhooks.deliveries set next_attempt_at = now() where next_attempt_at is not null'),
    /** An organization with a subscription to the receiver. Targets must be https, so the URL is changed in the database. */
    async open({ event = 'lead.created', path = '/' } = {}) {
      const integration = await openIntegration({ system });
      const { body } = await integration.post('/webhooks', { event, targetUrl: 'https://hooks.example.com/' });
      await pool.query('update webhooks.subscriptions set url = $2 where id = $1', [body.id, receiver.url + path]);
      const lead = (name: string) => integration.post('/leads', { agentId: integration.agent.id, name });
      return { ...integration, subscription: body as { id: string; secret: string }, lead };
    },
    async stop() {
      await gateway.stop();
      await receiver.close();
      await own.drop();
    },
  };
}
