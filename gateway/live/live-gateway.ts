import { setImmediate } from 'node:timers/promises';
import { createGateway, type Gateway, type GatewayOptions } from '../compiled-gateway.ts';
import type { EventStream } from '../event-stream.ts';
import { fail } from '../gateway-error.ts';
import { NULL } from '../plan/complete.ts';
import type { Answer, Source } from '../source-contract.ts';

/** The address of a subgraph and a function that opens its source. */
export interface Opening {
  /** A subgraph keeps its source while its address stays the same. */
  readonly address: string;
  open(): Source;
}

export interface LiveGatewayOptions extends Omit<GatewayOptions, 'supergraph' | 'sources' | 'verbatim' | 'onStream'> {
  /** The first composed supergraph, as SDL. */
  supergraph: string;
  /** Return the subgraphs of a supergraph by name. Throws when one has no usable address. */
  openings(supergraph: string): Readonly<Record<string, Opening>>;
  /** Select the subgraphs whose errors reach callers unmasked. */
  verbatim?: (subgraphs: readonly string[]) => readonly string[];
  /** Milliseconds before sources that the new supergraph does not use are closed; default 60,000. */
  grace?: number;
}

/** A gateway whose supergraph can be replaced while it runs. */
export interface LiveGateway extends Gateway {
  /**
   * Replace the supergraph. Operations and subscriptions in flight stay on the old one. A subscription ends with `UNAVAILABLE` when
   * one of its subgraphs was removed or moved. Rejects and changes nothing when the supergraph does not build or a derived value
   * throws.
   */
  replace(supergraph: string): Promise<void>;
  /** Like `replace`, but synchronous: it blocks requests until it is done, and throws instead of rejecting. */
  replaceAtOnce(supergraph: string): void;
}

/** The gateway and sources of one supergraph. The key of a source is its name and address. */
interface Generation {
  readonly number: number;
  readonly supergraph: string;
  readonly gateway: Gateway;
  readonly sources: ReadonlyMap<string, { readonly name: string; readonly source: Source }>;
}

/** Milliseconds over which the ends of affected subscriptions are spread. */
const spread = 5_000;

/** Throws as `createGateway` does when the first supergraph does not build. */
export function createLiveGateway(options: LiveGatewayOptions): LiveGateway {
  const { supergraph: first, openings, verbatim = () => [], grace = 60_000, ...shared } = options;
  const subscriptions = new Subscriptions();
  const retired = new RetiredSources(grace);
  let built = 0;

  const build = (supergraph: string, known: Generation['sources']): Generation => {
    const sources = new Map<string, { name: string; source: Source }>();
    const number = ++built;
    try {
      for (const [name, { address, open }] of Object.entries(openings(supergraph))) {
        const key = JSON.stringify([name, address]);
        sources.set(key, { name, source: known.get(key)?.source ?? retired.withKey(key) ?? open() });
      }
      const byName = Object.fromEntries([...sources.values()].map(({ name, source }) => [name, source]));
      const gateway = createGateway({
        ...shared,
        supergraph,
        sources: byName,
        verbatim: verbatim(Object.keys(byName)),
        onStream: (stream, subgraphs) => subscriptions.track(stream, subgraphs, number),
      });
      return { number, supergraph, gateway, sources };
    } catch (error) {
      closeUnused(sources, known);
      throw error;
    }
  };
  /** Close the sources of a supergraph that was not applied. */
  const closeUnused = (sources: Generation['sources'], used: Generation['sources']) => {
    for (const [source] of without(sources, used)) if (!retired.has(source)) retired.close(source);
  };

  let current = build(first, new Map());
  const derivations = new Derivations(current.gateway);

  const replacement = function* (supergraph: string): Generator<void, void> {
    if (supergraph === current.supergraph) return;
    const next = build(supergraph, current.sources);
    const held = retired.hold((source) => uses(next.sources, source));
    try {
      yield* derivations.rebuild(next.gateway);
    } catch (error) {
      closeUnused(next.sources, current.sources);
      held.release();
      throw error;
    }
    const old = current;
    current = next;
    held.revive();
    leave(old, next);
  };
  const replaceInSteps = async (supergraph: string) => {
    isReplacing = true;
    try {
      // Yield to requests between steps, because preparing an operation takes milliseconds.
      for (const _ of replacement(supergraph)) await setImmediate();
    } finally {
      isReplacing = false;
    }
  };
  const leave = (old: Generation, next: Generation) => {
    const isGone = ([key]: [string, unknown]) => !next.sources.has(key);
    const names = new Set([...old.sources].filter(isGone).map(([, { name }]) => name));
    subscriptions.end(names, next.number, Math.min(spread, grace));
    for (const [source, key] of without(old.sources, next.sources)) retired.retire(source, key);
  };

  let replacing: Promise<void> = Promise.resolve();
  let isReplacing = false;
  return {
    get schema() {
      return current.gateway.schema;
    },
    get supergraph() {
      return current.gateway.supergraph;
    },
    get listSizes() {
      return current.gateway.listSizes;
    },
    operation: (document, operationName) => current.gateway.operation(document, operationName),
    prepare(document, how) {
      const operation = derivations.derive((gateway) => gateway.prepare(document, how));
      return {
        execute: (variables, context) => operation().execute(variables, context),
        get executeInParts() {
          return operation().executeInParts;
        },
        subscribe: (variables, context) => operation().subscribe(variables, context),
      };
    },
    derive: (make) => derivations.derive(make),
    replace(supergraph) {
      const done = replacing.then(() => replaceInSteps(supergraph));
      replacing = done.catch(() => {});
      return done;
    },
    replaceAtOnce(supergraph) {
      if (isReplacing) throw new Error('Another supergraph is being applied');
      for (const _ of replacement(supergraph));
    },
    async close() {
      await replacing;
      for (const source of new Set([...current.sources.values()].map(({ source }) => source))) retired.close(source);
      await retired.closeAll();
    },
  };
}

/** The sources of one supergraph that another does not use, with a key of each. */
const without = (sources: Generation['sources'], used: Generation['sources']): Map<Source, string> =>
  new Map([...sources].flatMap(([key, { source }]) => (uses(used, source) ? [] : [[source, key]])));

/** Compares by identity: an in-process source may have several keys. */
const uses = (sources: Generation['sources'], source: Source): boolean =>
  [...sources.values()].some((each) => each.source === source);

class Derivation<T> {
  value: T;
  next?: T;

  constructor(
    gateway: Gateway,
    readonly make: (gateway: Gateway) => T,
  ) {
    this.value = make(gateway);
  }
}

/** Values derived from a gateway. All of them switch to the next gateway at the same time. */
class Derivations {
  readonly #all: Derivation<unknown>[] = [];
  #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  derive<T>(make: (gateway: Gateway) => T): () => T {
    const derivation = new Derivation(this.#gateway, make);
    this.#all.push(derivation as Derivation<unknown>);
    return () => derivation.value;
  }

  /** Recompute all values, one per step. They switch together after the last step; if one throws, none of them changes. */
  *rebuild(gateway: Gateway): Generator<void, void> {
    // The list can grow between steps: values derived meanwhile are appended.
    for (let at = 0; at < this.#all.length; at++) {
      const derivation = this.#all[at]!;
      derivation.next = derivation.make(gateway);
      yield;
    }
    this.#gateway = gateway;
    for (const derivation of this.#all) {
      derivation.value = derivation.next;
      derivation.next = undefined;
    }
  }
}

interface Retired {
  /** The name and address of the subgraph. */
  readonly key: string;
  readonly timer: NodeJS.Timeout;
}

/** Sources that the current supergraph does not use. They close after a grace period, unless a later supergraph uses them again. */
class RetiredSources {
  readonly #retired = new Map<Source, Retired>();
  #closing: Promise<unknown> = Promise.resolve();

  /** @param grace milliseconds before a retired source is closed */
  constructor(private readonly grace: number) {}

  has(source: Source): boolean {
    return this.#retired.has(source);
  }

  withKey(key: string): Source | undefined {
    return [...this.#retired].find(([, each]) => each.key === key)?.[0];
  }

  retire(source: Source, key: string): void {
    this.#retired.set(source, { key, timer: setTimeout(() => this.close(source), this.grace).unref() });
  }

  /** Keep the sources open that a new supergraph uses, until it is applied or refused. */
  hold(isUsed: (source: Source) => boolean): { revive(): void; release(): void } {
    const held = [...this.#retired].filter(([source]) => isUsed(source));
    for (const [, { timer }] of held) clearTimeout(timer);
    return {
      revive: () => {
        for (const [source] of held) this.#retired.delete(source);
      },
      release: () => {
        for (const [source, { key }] of held) this.retire(source, key);
      },
    };
  }

  close(source: Source): void {
    clearTimeout(this.#retired.get(source)?.timer);
    this.#retired.delete(source);
    this.#closing = Promise.allSettled([this.#closing, source.close?.()]);
  }

  /** Close all retired sources, and wait for every source that is closing. */
  async closeAll(): Promise<void> {
    for (const source of this.#retired.keys()) this.close(source);
    await this.#closing;
  }
}

const supergraphReplaced = (): Answer => ({
  data: NULL,
  errors: [fail('UNAVAILABLE', 'The graph has changed. Subscribe again.').toJSON()],
});

/** Tracks the open subscriptions of a live gateway, so that it can end those that use a removed subgraph. */
class Subscriptions {
  readonly #open = new Map<EventStream<Answer>, ReadonlySet<string>>();
  /** By subgraph, the generation that removed or moved it. */
  readonly #goneSince = new Map<string, number>();

  /** Track a stream while it is open. */
  track(stream: EventStream<Answer>, subgraphs: ReadonlySet<string>, generation: number): void {
    this.#open.set(stream, subgraphs);
    stream.onEnd(() => this.#open.delete(stream));
    // The supergraph may have been replaced while the subgraph accepted the subscription.
    for (const name of subgraphs) if (this.#goneSince.get(name)! > generation) stream.end(supergraphReplaced());
  }

  /** End the streams that use subgraphs removed in a generation. Random delays keep clients from resubscribing all at once. */
  end(subgraphs: ReadonlySet<string>, generation: number, spread: number): void {
    for (const name of subgraphs) this.#goneSince.set(name, generation);
    for (const [stream, needed] of this.#open) {
      if (needed.isDisjointFrom(subgraphs)) continue;
      setTimeout(() => stream.end(supergraphReplaced()), Math.random() * spread).unref();
    }
  }
}
