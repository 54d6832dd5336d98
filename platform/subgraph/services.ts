import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { type Database, Statements } from '../database/index.ts';
import { type Bucket, defaultFileLimits, type FileStorageLimits } from '../files/index.ts';
import { Callers, StreamAccess } from '../identity/index.ts';
import type { MailSettings } from '../mail/index.ts';
import { ChatWaits, type Model } from '../model/index.ts';
import { createOutbound, type Outbound } from '../outbound/index.ts';
import { BackgroundTasks, Notifications, type Stop, stopFully } from '../queues/index.ts';
import { cleanUpWindows, RateLimit, RateLimitStore } from '../rate-limit/index.ts';
import { Secrets } from '../secrets/index.ts';
import type { Graph } from './graph.ts';

/** Services of a process, shared by all scopes. */
export interface Services {
  orm: MikroORM;
  /** For tables without entities: rate limits, queues, the outbox. */
  pool: Pool;
  /** Runs cancelable reads on behalf of a caller. */
  statements: Statements;
  callers: Callers;
  /** Ends streams of callers that lose access. */
  streamAccess: StreamAccess;
  rateLimit: RateLimit;
  /** Counts the points of GraphQL operations. */
  graphqlLimit: RateLimit;
  notifications: Notifications;
  secrets: Secrets;
  /** Stores the content of new files; the database stores it when absent. */
  bucket?: Bucket;
  fileLimits: FileStorageLimits;
  /** The model provider, if one is configured. */
  model?: Model;
  /** The whole graph, for agents. Set once the gateway is known; without it agents have no catalog. */
  graph?: Graph;
  /** Outgoing mail, if an SMTP server is configured. */
  mail?: MailSettings;
  /** Private hosts that the operator allows. */
  allowHosts: readonly string[];
  /** Sends requests to URLs from users. */
  outbound: Outbound;
  /** Whether AI jobs are refused, and their items fail, when no credits are left. */
  requireCredits: boolean;
  /** Credits of the first organization that a user creates. */
  trialCredits: number;
  /** Origins that may always embed the widget. */
  dashboardOrigins: readonly string[];
  /** Base URL of the API for callers, without a trailing slash. */
  publicUrl?: string;
  /** Credential of schedulers that call the webhook sweeper, which is off without it. */
  cronSecret?: string;
  /** Messages per minute of one visitor and of one IP address, and its new identities and identity tokens that are not valid. */
  chatLimits: { visitor: RateLimit; address: RateLimit; identity: RateLimit };
  /** Work that outlives its request. */
  background: BackgroundTasks;
  close(stop?: Stop): Promise<void>;
}

export interface ServiceOptions {
  requireCredits: boolean;
  trialCredits?: number;
  rateLimitPerMinute: number;
  /** Points of GraphQL operations; ten times `rateLimitPerMinute` by default. */
  graphqlLimitPerMinute?: number;
  dashboardOrigins?: readonly string[];
  /** Optional for a process that stores no secrets. */
  secretsKeys?: readonly string[];
  allowHosts?: readonly string[];
  /** Name servers as `address:port`; defaults to those of the system. */
  nameServers?: readonly string[];
  bucket?: Bucket;
  fileLimits?: FileStorageLimits;
  cronSecret?: string;
  publicUrl?: string;
  chatLimits?: { visitor: number; address: number };
  model?: Model;
  mail?: MailSettings;
}

export async function openServices(
  { orm, pool, directUrl, isPooled, close }: Database,
  {
    requireCredits,
    trialCredits = 0,
    rateLimitPerMinute,
    graphqlLimitPerMinute = Math.min(10 * rateLimitPerMinute, MAX_LIMIT),
    dashboardOrigins = [],
    secretsKeys = [],
    allowHosts = [],
    nameServers,
    bucket,
    fileLimits = defaultFileLimits,
    publicUrl,
    cronSecret,
    chatLimits = { visitor: 20, address: 60 },
    model,
    mail,
  }: ServiceOptions,
): Promise<Services> {
  const notifications = await new Notifications(directUrl).open();
  const secrets = new Secrets(secretsKeys);
  const callers = new Callers(pool, notifications, secrets);
  const streamAccess = new StreamAccess(callers, notifications);
  const statements = new Statements(pool, directUrl, isPooled);
  const background = new BackgroundTasks();
  const outbound = createOutbound({ allowHosts, nameServers });
  const chatWaits = model && new ChatWaits(pool, notifications, model.host);
  if (chatWaits) model.shareWith(chatWaits);
  const stopCleanUp = cleanUpWindows(pool);
  return {
    orm,
    pool,
    statements,
    callers,
    streamAccess,
    notifications,
    secrets,
    bucket,
    fileLimits,
    model,
    mail,
    allowHosts,
    outbound,
    requireCredits,
    trialCredits,
    dashboardOrigins,
    cronSecret,
    publicUrl,
    background,
    rateLimit: new RateLimit(limiter(pool, 'minute', rateLimitPerMinute)),
    graphqlLimit: new RateLimit(limiter(pool, 'graphql', graphqlLimitPerMinute)),
    chatLimits: {
      visitor: new RateLimit(limiter(pool, 'chat-visitor', chatLimits.visitor)),
      address: new RateLimit(limiter(pool, 'chat-address', chatLimits.address)),
      identity: new RateLimit(limiter(pool, 'identity-address', Math.min(10 * chatLimits.address, MAX_LIMIT))),
    },
    async close(stop = stopFully) {
      stopCleanUp();
      await stop('background tasks', () => background.close());
      chatWaits?.close();
      streamAccess.close();
      callers.close();
      await Promise.all([
        stop('outbound requests', () => outbound.close()),
        stop('cancellation of statements', () => statements.close()),
        stop('notifications', () => notifications.close()),
        stop('bucket', () => bucket?.close()),
      ]);
      await stop('database', close);
    },
  };
}

/** The largest number that a GraphQL `Int` holds, rounded down. */
const MAX_LIMIT = 1_000_000_000;

const limiter = (pool: Pool, prefix: string, points: number) => new RateLimitStore(pool, prefix, points);
