import type { Movement } from '../../../platform/credits/index.ts';
import { ByteBudget, type Reservation } from '../../../platform/database/index.ts';
import type { Model, SearchEndpoint } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { emit } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { Job, JobItem } from './entity.ts';

/** A permanent failure of an item, which is not retried. Its message becomes the `errorMessage` of the item. */
export class ItemFailure extends Error {
  override name = 'ItemFailure';
}

/** The scope of an activity: one organization, the clients of a worker, and memory. */
export interface WorkScope extends Scope {
  model: Model;
  /** Search endpoint of the operator, if configured. */
  searchEndpoint?: SearchEndpoint;
  signal: AbortSignal;
  /** Memory of the process for images and pages of the item. */
  memory: ItemMemory;
}

/** The result of one item: columns to store on it, and further writes of the same transaction. */
export interface ItemOutcome {
  item: Partial<Omit<JobItem, 'id' | 'organizationId' | 'jobId' | 'status' | 'cost'>>;
  /** Writes the result to other tables. Runs at most once, in the transaction that completes the item. */
  apply?(scope: Scope): Promise<void>;
  /** Like `apply`, for results of items of one job that complete at about the same time. */
  batch?: Batch;
}

/** A result that one function writes together with those of other items. Make it with `batched`. */
interface Batch {
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
interface JobEvents {
  start?: EnumValue<'WebhookEvent'>;
  /** Payload key of the job id in `start`; `id` by default. */
  startKey?: 'jobId';
  completed?: EnumValue<'WebhookEvent'>;
  /** Send `completed` with status `failed` for a job-level failure. */
  completedWhenFailed?: true;
  stopped?: EnumValue<'WebhookEvent'>;
}

/** Everything that distinguishes one kind of job: its numbers, events and messages as data, and its work as functions. */
export interface JobKind {
  /** Items of one job that run at the same time. */
  concurrency: number;
  /** The concurrency grows while the model provider keeps up, up to the limit of the operator. */
  adaptive?: true;
  /** Taken when an item begins, and refunded when it fails. */
  prices: Record<EnumValue<'ModelType'>, Price>;
  /** Webhook events of its jobs; none by default. */
  events?: JobEvents;
  /** On stop, running items complete. Otherwise they fail together with the pending ones. */
  completesRunningItems?: true;
  /** Its changes are those of the user who started the job, for example in the history of values. */
  changesAsCreator?: true;
  /** Refusal of a second open job in the organization. The database enforces the limit by a unique index. */
  oneAtATime?: string;
  /** Refusal of `rerunJob`. Failed items of such a job are retried once. */
  notRepeatable?: string;
  /** Refusal of `retryFailedItems`. */
  notRetryable?: string;
  /** Verifies what every item needs. Throws `ItemFailure` to fail the whole job. */
  check?(scope: Scope, job: Job): Promise<unknown>;
  /** Do the work of one item that is paid, as a parent if `item.asParent`. May run again after a crash. Throws `ItemFailure` for a fault of the item itself. */
  process(scope: WorkScope, job: Job, item: JobItem): Promise<ItemOutcome>;
  /** Writes of the transaction that fails an item, except when its job is stopped. */
  failed?(scope: Scope, job: Job, item: JobItem, message: string): Promise<unknown>;
}

/** The credits for one item. A parent is read once, without a model. */
export const creditsFor = (
  { item, parent = item, agreement = 0 }: Price,
  job: { agreement: boolean },
  isParent: boolean,
): number => (isParent ? parent : item + (job.agreement ? agreement : 0));

/** The charge for one item. */
export const itemCharge = (kind: string, itemId: string, price: number): Movement => ({
  amount: -price,
  reason: `${kind} item`,
  reference: `item:${itemId}`,
});

type Kind = EnumValue<'JobKind'>;

const eventsOf = (kind: Kind): JobEvents => kindOf(kind).events ?? {};

/** Send the start event. Runs in the transaction that starts the job. */
export async function emitStart(scope: Scope, kind: Kind, id: string): Promise<void> {
  const { start, startKey = 'id' } = eventsOf(kind);
  if (start) await emit(scope, start, { [startKey]: id });
}

/** Send the completed event of a job that finished or failed by itself. */
export async function emitEnd(scope: Scope, kind: Kind, job: { id: string; status: string; completedAt: Date }): Promise<void> {
  const { completed, completedWhenFailed } = eventsOf(kind);
  const { id, status, completedAt } = job;
  if (!completed || (status === 'failed' && !completedWhenFailed)) return;
  await emit(scope, completed, { id, status, completedAt: completedAt.toISOString() });
}

/** Send the stopped event. */
export async function emitStop(scope: Scope, kind: Kind, id: string, stoppedAt: Date): Promise<void> {
  const { stopped } = eventsOf(kind);
  if (stopped) await emit(scope, stopped, { id, status: 'stopped', stoppedAt: stoppedAt.toISOString() });
}

type Name = EnumValue<'JobKind'>;

const registry = new Map<string, JobKind>();

/** Registers all job kinds. Called once from `kinds.ts`, so that `jobs/` imports no feature. */
export function registerKinds(kinds: Record<Name, JobKind>): void {
  for (const [name, kind] of Object.entries(kinds)) registry.set(name, kind);
}

/** Throws if the kind is not registered. */
export function kindOf(name: Name): JobKind {
  const kind = registry.get(name);
  if (!kind) throw new Error(`There is no job kind ${name}`);
  return kind;
}

const MB = 1024 * 1024;

/** Budgets of the process. An item takes texts first, so items that wait for images or pages cannot block each other. */
const budgets = {
  /** The readable texts of pages. */
  texts: new ByteBudget(128 * MB),
  /** Images, and pages while they are read. */
  contents: new ByteBudget(384 * MB),
};

/** Bytes of images in requests to the model. Base64 is larger by a third, and a request has it in its text and in its encoded body. */
export const imageMemory = (images: { bytes: number }[], requests: number): number =>
  images.reduce((sum, { bytes }) => sum + (bytes * 4 * (1 + 2 * requests)) / 3, 0);

/** The memory of one item. */
export class ItemMemory {
  readonly #held = new Map<keyof typeof budgets, Reservation>();

  constructor(
    private readonly organizationId: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Wait for memory, and hold it until the end of the item. Once per budget: an item that waits for more could block itself. */
  async hold(budget: keyof typeof budgets, bytes: number): Promise<Reservation> {
    if (this.#held.has(budget)) throw new Error(`An item holds its ${budget} once`);
    const reservation = await budgets[budget].reserve(this.organizationId, bytes, this.signal);
    this.#held.set(budget, reservation);
    return reservation;
  }

  /** Do work that needs memory of `contents` only while it runs. */
  async during<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#held.has('contents')) throw new Error('An item that holds its contents cannot wait for more');
    const reservation = await budgets.contents.reserve(this.organizationId, bytes, this.signal);
    try {
      return await work();
    } finally {
      reservation.release();
    }
  }

  release(): void {
    for (const each of this.#held.values()) each.release();
  }
}
