import type { RequestContext } from 'compiled-gateway';
import type { GraphQLError } from 'graphql';
import { fail } from '../../../schema/errors.ts';
import { log } from '../log.ts';
import type { Notifications } from '../notifications.ts';
import type { Access, Caller, Callers } from './callers.ts';
import { rank } from './level.ts';

/** The part of a request scope that says who reads a stream. */
interface Reader {
  request: Pick<RequestContext, 'headers'>;
  who: Caller | GraphQLError;
  selected: Access | GraphQLError;
}

interface Stream {
  scope: Reader;
  /** What the caller was when the stream began. */
  had: Access | undefined;
  end(refusal: GraphQLError): void;
}

/** Milliseconds that changes are gathered for, and between two looks at keys whose time may be over. */
const GATHER = 500;
const LOOK = 30_000;

/**
 * Ends streams whose caller may not read them any more: the key is revoked, disabled or expired, its user has left the
 * organization or has a lower role. Any change of a key or a member is notified; then all keys with streams are read at once.
 */
export class Standing {
  readonly #streams = new Set<Stream>();
  readonly #unlisten: () => void;
  readonly #timer: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;

  constructor(
    private readonly callers: Callers,
    notifications: Notifications,
  ) {
    this.#unlisten = notifications.on('identity', () => this.#lookIn(GATHER));
    this.#timer = setInterval(() => this.#lookIn(0), LOOK).unref();
  }

  /** Calls `end` with why, once the caller of this scope may not go on. Returns how to forget it. */
  watch(scope: Reader, end: Stream['end']): () => void {
    const stream = { scope, had: scope.selected instanceof Error ? undefined : scope.selected, end };
    if (!(scope.who instanceof Error)) this.#streams.add(stream);
    return () => void this.#streams.delete(stream);
  }

  close(): void {
    this.#unlisten();
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
  }

  #lookIn(milliseconds: number): void {
    if (this.#streams.size === 0) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#look().catch((error: unknown) => {
        log.warn({ err: error }, 'the keys of streams could not be read');
        this.#lookIn(1_000);
      });
    }, milliseconds).unref();
  }

  async #look(): Promise<void> {
    const streams = [...this.#streams];
    const callers = await this.callers.identifyAll(streams.map(({ scope }) => scope.request.headers));
    for (const [place, stream] of streams.entries()) {
      const refusal = refusalOf(callers[place]!, stream.had);
      if (refusal) stream.end(refusal);
    }
  }
}

function refusalOf(caller: Caller | GraphQLError, had: Access | undefined): GraphQLError | undefined {
  if (caller instanceof Error) return caller;
  if (!had) return undefined;
  const has = caller.organizations.find(({ id }) => id === had.id);
  if (!has) return fail('NO_ACCESS', 'Invalid API Key');
  return rank[has.role] < rank[had.role] ? fail('FORBIDDEN', 'The role in the organization was changed.') : undefined;
}
