import type { Model } from '../../common/model/client.ts';
import type { Outbound } from '../../common/outbound/client.ts';
import type { Scope } from '../../common/scope.ts';
import type { SearchEndpoint } from '../../common/web-search.ts';
import type { Job } from './entity.ts';
import type { JobItem } from './item-entity.ts';

/** The scope of an activity: one organization, and what reaches outside. */
export interface WorkScope extends Scope {
  model: Model;
  outbound: Outbound;
  /** A search engine of the operator, if there is one. */
  searchEndpoint?: SearchEndpoint;
  signal: AbortSignal;
}

/** What one item came to: what is stored on it, and what else is written in the same transaction. */
export interface Outcome {
  item: Partial<Omit<JobItem, 'id' | 'organizationId' | 'jobId' | 'status' | 'cost'>>;
  /** Writes the result where it belongs. Runs in the transaction that completes the item, at most once. */
  apply?(scope: Scope): Promise<void>;
}

/** What makes one kind of job different from the others. */
export interface Kind {
  /** Items of one job in hand at a time. */
  concurrency: number;
  /** Whether items in hand come to their end when a job is stopped. Otherwise they fail like those that wait. */
  finishesInHand?: true;
  /** What every item needs is there. Throws `ItemFailure` when it is not: then the job fails as a whole. */
  check?(scope: Scope, job: Job): Promise<unknown>;
  /** Credits for this item, taken before it is worked on and given back when it fails. */
  price(scope: Scope, job: Job, item: JobItem): Promise<number>;
  /** Do the work of one item. May run again after a crash. Throws `ItemFailure` when the item itself is at fault. */
  process(scope: WorkScope, job: Job, item: JobItem): Promise<Outcome>;
}
