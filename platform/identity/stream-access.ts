import type { RequestContext } from 'compiled-gateway';
import type { GraphQLError } from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { Notifications } from '../queues/index.ts';
import type { Access, Caller } from '../scope/index.ts';
import { log } from '../telemetry/index.ts';
import type { Callers } from './callers.ts';
import { rank } from './entity.ts';

/** The properties of a request scope that identify the consumer of a stream. */
interface Reader {
  request: Pick<RequestContext, 'headers'>;
  who: Caller | GraphQLError;
  selected: Access | GraphQLError;
}

interface Stream {
  scope: Reader;
  /** The access of the caller at the start of the stream. */
  initial: Access | undefined;
  end(refusal: GraphQLError): void;
}

/** Milliseconds for which changes are batched, and between two checks for expired keys. */
const BATCH_DELAY = 500;
const CHECK_INTERVAL = 30_000;

/**
 * Ends streams of callers that lose access: the key is revoked, disabled or expired, or its user left the organization or got a lower
 * role. A notification of any such change triggers one query for the keys of all streams.
 */
export class StreamAccess {
  readonly #streams = new Set<Stream>();
  readonly #unlisten: () => void;
  readonly #timer: NodeJS.Timeout;
  #scheduled: NodeJS.Timeout | undefined;

  constructor(
    private readonly callers: Callers,
    notifications: Notifications,
  ) {
    this.#unlisten = notifications.on('identity', () => this.#schedule(BATCH_DELAY));
    this.#timer = setInterval(() => this.#schedule(0), CHECK_INTERVAL).unref();
  }

  /** Call `end` with the error when the caller of this scope loses access. Returns a function that stops watching. */
  watch(scope: Reader, end: Stream['end']): () => void {
    const stream = { scope, initial: scope.selected instanceof Error ? undefined : scope.selected, end };
    if (!(scope.who instanceof Error)) this.#streams.add(stream);
    return () => void this.#streams.delete(stream);
  }

  close(): void {
    this.#unlisten();
    clearInterval(this.#timer);
    clearTimeout(this.#scheduled);
  }

  #schedule(milliseconds: number): void {
    if (this.#streams.size === 0) return;
    this.#scheduled ??= setTimeout(() => {
      this.#scheduled = undefined;
      this.#check().catch((error: unknown) => {
        log.warn({ err: error }, 'Failed to read the keys of streams');
        this.#schedule(1_000);
      });
    }, milliseconds).unref();
  }

  async #check(): Promise<void> {
    const streams = [...this.#streams];
    const callers = await this.callers.identifyAll(streams.map(({ scope }) => scope.request.headers));
    for (const [place, stream] of streams.entries()) {
      const refusal = refusalOf(callers[place]!, stream.initial);
      if (refusal) stream.end(refusal);
    }
  }
}

function refusalOf(caller: Caller | GraphQLError, initial: Access | undefined): GraphQLError | undefined {
  if (caller instanceof Error) return caller;
  if (!initial) return undefined;
  const current = caller.organizations.find(({ id }) => id === initial.id);
  if (!current) return fail('NO_ACCESS', 'Invalid API Key');
  return rank[current.role] < rank[initial.role] ? fail('FORBIDDEN', 'The role in the organization was changed.') : undefined;
}
