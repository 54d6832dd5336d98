import { setImmediate } from 'node:timers/promises';
import type { Source } from '../contract.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../gateway.ts';
import { Derivations } from './derivations.ts';
import { Subscriptions } from './subscriptions.ts';

/** One subgraph of a supergraph: where it is, and how to open a source for it. */
export interface Opening {
  /** A subgraph keeps its source for as long as its address stays the same. */
  readonly address: string;
  open(): Source;
}

export interface LiveGatewayOptions extends Omit<GatewayOptions, 'supergraph' | 'sources' | 'verbatim'> {
  /** The composed supergraph to begin with, as SDL. */
  supergraph: string;
  /** The subgraphs of a supergraph by name. Throws when one of them cannot be reached. */
  openings(supergraph: string): Readonly<Record<string, Opening>>;
  /** Names of subgraphs whose errors callers see as they are. */
  verbatim?: (subgraphs: readonly string[]) => readonly string[];
  /** Milliseconds that operations in flight may still use sources that the new supergraph does not need. */
  grace?: number;
}

/** A gateway whose supergraph can be replaced while it runs. */
export interface LiveGateway extends Gateway {
  /**
   * Serve another supergraph. Operations in flight finish on the old one. Subscriptions stay on the old one too, but end with
   * `UNAVAILABLE` when one of their subgraphs is gone or has moved. Rejects and changes nothing when the supergraph does not build
   * or a derived value throws.
   */
  replace(supergraph: string): Promise<void>;
  /** The same without pauses for requests, for callers that need to know the outcome at once. Throws. */
  replaceAtOnce(supergraph: string): void;
}

/** What one supergraph needs. Sources go by name and address. */
interface Generation {
  readonly number: number;
  readonly supergraph: string;
  readonly gateway: Gateway;
  readonly sources: ReadonlyMap<string, { readonly name: string; readonly source: Source }>;
}

/** Milliseconds over which subscriptions are ended. */
const spread = 5_000;

/** Throws as `createGateway` does when the first supergraph does not build. */
export function createLiveGateway(options: LiveGatewayOptions): LiveGateway {
  const { supergraph: first, openings, verbatim = () => [], grace = 60_000, ...shared } = options;
  const subscriptions = new Subscriptions();
  const retired = new Set<Source>();
  let closing: Promise<unknown> = Promise.resolve();
  let built = 0;

  const build = (supergraph: string, known: Generation['sources']): Generation => {
    const sources = new Map<string, { name: string; source: Source }>();
    const number = ++built;
    try {
      for (const [name, { address, open }] of Object.entries(openings(supergraph))) {
        const key = `${name}\n${address}`;
        sources.set(key, { name, source: known.get(key)?.source ?? open() });
      }
      const byName = Object.fromEntries([...sources.values()].map(({ name, source }) => [name, source]));
      const gateway = createGateway({
        ...shared,
        supergraph,
        sources: byName,
        verbatim: verbatim(Object.keys(byName)),
        decorate: (operation) => subscriptions.noting(operation, number),
      });
      return { number, supergraph, gateway, sources };
    } catch (error) {
      closeUnused(sources, known);
      throw error;
    }
  };
  const close = (source: Source) => {
    retired.delete(source);
    closing = Promise.allSettled([closing, source.close?.()]);
  };
  /** Close the sources of a supergraph that was not applied. */
  const closeUnused = (sources: Generation['sources'], used: Generation['sources']) => {
    for (const source of without(sources, used)) close(source);
  };

  let current = build(first, new Map());
  const derivations = new Derivations(current.gateway);

  const replacement = function* (supergraph: string): Generator<void, void> {
    if (supergraph === current.supergraph) return;
    const next = build(supergraph, current.sources);
    try {
      yield* derivations.rebuild(next.gateway);
    } catch (error) {
      closeUnused(next.sources, current.sources);
      throw error;
    }
    const old = current;
    current = next;
    retire(old, next);
  };
  const replaceInSteps = async (supergraph: string) => {
    isReplacing = true;
    try {
      // Preparing an operation takes milliseconds; requests run in between.
      for (const _ of replacement(supergraph)) await setImmediate();
    } finally {
      isReplacing = false;
    }
  };
  const retire = (old: Generation, next: Generation) => {
    const isGone = ([key]: [string, unknown]) => !next.sources.has(key);
    const names = new Set([...old.sources].filter(isGone).map(([, { name }]) => name));
    subscriptions.end(names, next.number, Math.min(spread, grace));
    for (const source of without(old.sources, next.sources)) {
      retired.add(source);
      setTimeout(() => retired.has(source) && close(source), grace).unref();
    }
  };

  let replacing: Promise<void> = Promise.resolve();
  let isReplacing = false;
  return {
    get schema() {
      return current.gateway.schema;
    },
    get listSizes() {
      return current.gateway.listSizes;
    },
    operation: (document, operationName) => current.gateway.operation(document, operationName),
    prepare(document, how) {
      const operation = derivations.derive((gateway) => gateway.prepare(document, how));
      return {
        execute: (variables, context) => operation().execute(variables, context),
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
      for (const source of [...retired, ...new Set([...current.sources.values()].map(({ source }) => source))]) close(source);
      await closing;
    },
  };
}

/** The sources of one supergraph that another does not use. In-process sources stay the same at any address. */
function without(sources: Generation['sources'], used: Generation['sources']): Set<Source> {
  const inUse = new Set([...used.values()].map(({ source }) => source));
  return new Set([...sources.values()].map(({ source }) => source)).difference(inUse);
}
