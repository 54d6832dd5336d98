import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { migrate, openDatabase, query, sql } from '../../platform/database/database.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { createOutbound } from '../../platform/outbound/outbound-client.ts';
import { type Scope, transaction } from '../../platform/scope/index.ts';
import { openServices } from '../../platform/subgraph/services.ts';
import { type Deliverer, startDeliverer } from '../../platform/webhooks/deliverer.ts';
import { newSigningSecret, secretName } from '../../platform/webhooks/delivery-attempt.ts';
import { emit } from '../../platform/webhooks/emit.ts';
import type { WebhookSurface } from '../../platform/webhooks/policies.ts';
import { webhookTables } from '../../platform/webhooks/tables.ts';
import { createDatabase } from '../support/database.ts';
import { database as poolOf, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

interface Subscription {
  surface?: WebhookSurface;
  events?: string[];
  enabled?: boolean;
  aboutId?: string;
  signed?: boolean;
}

export interface Row {
  id: string;
  status: string;
  attempts: number;
  /** Seconds from now; null at the end. */
  wait: number | null;
  response_status: number | null;
  last_error: string | null;
}

const DELIVERIES = `
  select id, status, attempts, extract(epoch from next_attempt_at - now())::float as wait, response_status, last_error
    from webhooks.deliveries where subscription_id = $1 order by created_at, id`;

/** The delivery engine in this process, on a separate database. */
export async function openEngine({
  keys = ['one key of at least thirty-two characters'],
  allowHosts = ['127.0.0.1'],
  nameServers = [] as string[],
} = {}) {
  const own = await createDatabase();
  const database = await openDatabase(own.url, [identityTables, webhookTables]);
  await migrate(database);
  const services = await openServices(database, { requireCredits: true, rateLimitPerMinute: 1, secretsKeys: keys });
  const outbound = createOutbound({ allowHosts, nameServers });
  const pool = poolOf(own.url);
  const deliverers: Deliverer[] = [];

  /** An organization with subscriptions. */
  const addTenant = async () => {
    const { id: organizationId } = await seedOrganization({ databaseUrl: own.url });
    const em = services.orm.em.fork() as EntityManager;
    em.setFilterParams('organization', { id: organizationId });
    const scope: Scope = { em, organizationId, services };
    return {
      scope,
      async subscribe(
        url: string,
        { surface = 'integration', events = ['lead.created'], enabled = true, aboutId, signed = true }: Subscription = {},
      ) {
        const id = randomUUID();
        const secret = newSigningSecret();
        const sealed = signed ? services.secrets.seal(secret, secretName({ organizationId, id })) : null;
        await pool.query(
          `insert into webhooks.subscriptions (id, organization_id, surface, url, events, enabled, about_id, secret)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [id, organizationId, surface, url, events, enabled, aboutId ?? null, sealed],
        );
        return { id, secret };
      },
      emit: (event = 'lead.created', payload: Record<string, unknown> = { name: 'Ada' }, aboutId?: string) =>
        transaction(scope, (inner) => emit(inner, event, payload, aboutId)),
    };
  };
  const tenant = await addTenant();
  const { em } = tenant.scope;

  return {
    pool,
    ...tenant,
    addTenant,
    /** Simulates another process of the engine. */
    start(secrets = services.secrets, way = outbound): Deliverer {
      const started = startDeliverer({ ...services, secrets }, way);
      deliverers.push(started);
      return started;
    },
    deliveries: async (subscriptionId: string): Promise<Row[]> => (await pool.query(DELIVERIES, [subscriptionId])).rows,
    subscription: async (id: string) =>
      (await pool.query('select enabled, failure_count from webhooks.subscriptions where id = $1', [id])).rows[0],
    /** The first delivery after this many attempts. */
    async tried(subscriptionId: string, attempts: number): Promise<Row> {
      await until(async () => ((await this.deliveries(subscriptionId))[0]?.attempts ?? 0) >= attempts);
      return (await this.deliveries(subscriptionId))[0]!;
    },
    /** Make the next attempt due. */
    async skipWaits(): Promise<void> {
      await query(em.fork(), sql`update webhooks.deliveries set next_attempt_at = now() where next_attempt_at is not null`);
      await query(em.fork(), sql`notify webhook_deliveries`);
    },
    async close() {
      await Promise.all(deliverers.map((each) => each.close()));
      await outbound.close();
      await services.close();
      await own.drop();
    },
  };
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;
