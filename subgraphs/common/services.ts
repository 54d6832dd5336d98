import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { type RateLimiterAbstract, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from './database.ts';
import type { Bucket } from './files/bucket.ts';
import { Callers } from './identity/callers.ts';
import { Standing } from './identity/standing.ts';
import { Notifications } from './notifications.ts';
import { RateLimit } from './rate-limit.ts';
import { Secrets } from './secrets.ts';
import { Statements } from './statements.ts';

/** What a process holds once and every scope may use. */
export interface Services {
  orm: MikroORM;
  /** For what is no entity: limits, notifications, the outbox. */
  pool: Pool;
  /** For reading on behalf of a caller. */
  statements: Statements;
  callers: Callers;
  /** Ends streams of callers that may not read them any more. */
  standing: Standing;
  rateLimit: RateLimit;
  notifications: Notifications;
  secrets: Secrets;
  /** Where the bytes of new files go; the database when there is none. */
  bucket?: Bucket;
  /** Hosts an operator trusts although they are private. */
  allowHosts: readonly string[];
  /** Whether AI jobs are refused, and items failed, when the credits are used up. */
  requireCredits: boolean;
  /** Credits of the first organization that a user creates. */
  trialCredits: number;
  /** Origin that may always show the widget. */
  dashboardOrigin?: string;
  close(): Promise<void>;
}

export interface ServiceOptions {
  requireCredits: boolean;
  trialCredits?: number;
  rateLimitPerMinute: number;
  dashboardOrigin?: string;
  /** A process that keeps no secrets needs none. */
  secretsKeys?: readonly string[];
  allowHosts?: readonly string[];
  bucket?: Bucket;
}

export async function openServices(
  { orm, pool, url, close }: Database,
  {
    requireCredits,
    trialCredits = 0,
    rateLimitPerMinute,
    dashboardOrigin,
    secretsKeys = [],
    allowHosts = [],
    bucket,
  }: ServiceOptions,
): Promise<Services> {
  const notifications = await new Notifications(url).open();
  const callers = new Callers(pool, notifications);
  const standing = new Standing(callers, notifications);
  const statements = new Statements(pool, url);
  return {
    orm,
    pool,
    statements,
    callers,
    standing,
    notifications,
    secrets: new Secrets(secretsKeys),
    bucket,
    allowHosts,
    requireCredits,
    trialCredits,
    dashboardOrigin,
    rateLimit: new RateLimit(limiter(pool, rateLimitPerMinute)),
    async close() {
      standing.close();
      callers.close();
      await statements.close();
      await notifications.close();
      await bucket?.close();
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
