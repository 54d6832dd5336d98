import type { Model, SearchEndpoint } from '../../../platform/model/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Word } from '../../../schema/words.ts';
import type { Job } from './entity.ts';
import type { JobItem } from './item-entity.ts';
import type { ItemMemory } from './memory.ts';

/** The scope of an activity: one organization, and the clients that reach outside. */
export interface WorkScope extends Scope {
  model: Model;
  outbound: Outbound;
  /** Search endpoint of the operator, if configured. */
  searchEndpoint?: SearchEndpoint;
  signal: AbortSignal;
  /** Memory of the process for images and pages of the item. */
  memory: ItemMemory;
}

/** The result of one item: columns to store on it, and further writes of the same transaction. */
export interface Outcome {
  item: Partial<Omit<JobItem, 'id' | 'organizationId' | 'jobId' | 'status' | 'cost'>>;
  /** Writes the result to other tables. Runs at most once, in the transaction that completes the item. */
  apply?(scope: Scope): Promise<void>;
  /** Like `apply`, for results of items of one job that complete at about the same time. */
  batch?: Batch;
}

/** A result that one function writes together with those of other items. Make it with `batched`. */
export interface Batch {
  result: unknown;
  write(scope: Scope, results: never[]): Promise<void>;
}

/** @param write must be the same function for all items of a kind */
export const batched = <T>(write: (scope: Scope, results: readonly T[]) => Promise<void>, result: T): Batch => ({ result, write });

/** Credits for one item. */
export interface Price {
  item: number;
  /** For a product that is a parent when its item begins: it is aggregated from its variants without a model. */
  parent?: number;
  /** In addition, for a product whose sources are read twice. */
  agreement?: number;
}

/** The webhook events of a kind of job. An event that is not named is never sent. */
export interface JobEvents {
  start?: Word<'WebhookEvent'>;
  /** Payload key of the job id in `start`; `id` by default. */
  startKey?: 'jobId';
  completed?: Word<'WebhookEvent'>;
  /** Send `completed` with status `failed` for a job-level failure. */
  completedWhenFailed?: true;
  stopped?: Word<'WebhookEvent'>;
}

/** Everything that distinguishes one kind of job: its numbers, events and messages as data, and its work as functions. */
export interface JobKind {
  /** Items of one job that run at the same time. */
  concurrency: number;
  /** The concurrency grows while the model provider keeps up, up to the limit of the operator. */
  adaptive?: true;
  /** Taken when an item begins, and refunded when it fails. */
  prices: Record<Word<'ModelType'>, Price>;
  /** Webhook events of its jobs; none by default. */
  events?: JobEvents;
  /** On stop, running items complete. Otherwise they fail together with the pending ones. */
  completesRunningItems?: true;
  /** Refusal of a second open job in the organization. The database enforces the limit by a unique index. */
  oneAtATime?: string;
  /** Refusal of `rerunJob`. Failed items of such a job are retried once. */
  notRepeatable?: string;
  /** Verifies what every item needs. Throws `ItemFailure` to fail the whole job. */
  check?(scope: Scope, job: Job): Promise<unknown>;
  /** Do the work of one item that is paid, as a parent if `item.asParent`. May run again after a crash. Throws `ItemFailure` for a fault of the item itself. */
  process(scope: WorkScope, job: Job, item: JobItem): Promise<Outcome>;
}
