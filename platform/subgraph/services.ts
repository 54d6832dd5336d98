import type { MikroORM } from '@mikro-orm/postgresql';
import type { RequestContext } from 'compiled-gateway';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Pool } from 'pg';
import { AnswerBudget } from '../../schema/limits.ts';
import { type Database, Statements } from '../database/index.ts';
import { type Bucket, defaultFileLimits, type FileStorageLimits } from '../files/index.ts';
import { AGENT_TOKEN_HEADER, type AgentIdentity, Callers, StreamAccess, signAgentToken } from '../identity/index.ts';
import type { MailSettings } from '../mail/index.ts';
import { ChatWaits, type Model } from '../model/index.ts';
import { createOutbound, type Outbound } from '../outbound/index.ts';
import { BackgroundTasks, Deadline, Notifications, type Stop, stopFully } from '../queues/index.ts';
import { cleanUpWindows, RateLimit, RateLimitStore } from '../rate-limit/index.ts';
import { Secrets } from '../secrets/index.ts';

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

/** Runs operations of the whole graph, with the access of an agent. Only operations that the gateway knows are possible. */
export interface Graph {
  /** Throws the first error of the response, and the reason of the signal when it aborts. */
  query<T>(text: string, variables: Readonly<Record<string, unknown>>, caller: AgentIdentity, signal?: AbortSignal): Promise<T>;
}

/** A response of the graph as objects. */
interface GraphAnswer {
  data?: Readonly<Record<string, unknown>> | null;
  errors?: readonly GraphQLFormattedError[];
}

/** Sends an operation to the gateway. */
export type Execute = (
  text: string,
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => GraphAnswer | Promise<GraphAnswer>;

/** Limits of one operation: milliseconds, and bytes of the response and of the rows read for it. */
export const [TIMEOUT_MS, ANSWER_LIMIT] = [10_000, 8 * 1024 * 1024];

/** Create the graph of a process. Every operation has its own token, which expires soon. */
export const createGraph = (secrets: Secrets, execute: Execute): Graph => ({
  async query<T>(text: string, variables: Readonly<Record<string, unknown>>, caller: AgentIdentity, signal?: AbortSignal) {
    const deadline = new Deadline(TIMEOUT_MS, signal);
    const { data, errors } = await within(deadline.signal, async (both) =>
      execute(text, variables, {
        headers: { [AGENT_TOKEN_HEADER]: await signAgentToken(secrets, caller) },
        signal: both,
        owner: caller.organizationId,
        client: { name: 'agent', version: '' },
        budget: new AnswerBudget(ANSWER_LIMIT),
      }),
    ).finally(() => deadline.end());
    const [error] = errors ?? [];
    if (error) throw new GraphQLError(error.message, { extensions: error.extensions });
    return data as T;
  },
});

/** Stop waiting when the signal aborts, even if the work ignores it. */
async function within<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
