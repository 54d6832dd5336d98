import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { type RateLimiterAbstract, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from './database.ts';
import { Callers } from './identity/callers.ts';
import { Notifications } from './notifications.ts';
import { RateLimit } from './rate-limit.ts';
import { Secrets } from './secrets.ts';

/** What a process holds once and every scope may use. */
export interface Services {
  orm: MikroORM;
  /** For what is no entity: limits, notifications, the outbox. */
  pool: Pool;
  callers: Callers;
  rateLimit: RateLimit;
  notifications: Notifications;
  secrets: Secrets;
  /** Hosts an operator trusts although they are private. */
  allowHosts: readonly string[];
  /** Whether AI jobs are refused, and items failed, when the credits are used up. */
  requireCredits: boolean;
  /** Origin that may always show the widget. */
  dashboardOrigin?: string;
  close(): Promise<void>;
}

export interface ServiceOptions {
  requireCredits: boolean;
  rateLimitPerMinute: number;
  dashboardOrigin?: string;
  /** A process that keeps no secrets needs none. */
  secretsKeys?: readonly string[];
  allowHosts?: readonly string[];
}

export async function openServices(
  { orm, pool, url, close }: Database,
  { requireCredits, rateLimitPerMinute, dashboardOrigin, secretsKeys = [], allowHosts = [] }: ServiceOptions,
): Promise<Services> {
  const notifications = await new Notifications(url).open();
  const callers = new Callers(pool, notifications);
  return {
    orm,
    pool,
    callers,
    notifications,
    secrets: new Secrets(secretsKeys),
    allowHosts,
    requireCredits,
    dashboardOrigin,
    rateLimit: new RateLimit(limiter(pool, rateLimitPerMinute)),
    async close() {
      callers.close();
      await notifications.close();
      await close();
    },
  };
}

const limiter = (pool: Pool, points: number): RateLimiterAbstract =>
  new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    schemaName: 'identity',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: 'minute',
    points,
    duration: 60,
  });
