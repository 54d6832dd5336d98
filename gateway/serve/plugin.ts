import { pathToFileURL } from 'node:url';
import type { DocumentNode, OperationTypeNode } from 'graphql';
import type { Outcome } from '../graphql-over-http.ts';
import type { Authorization, RequestContext, SourceRequest, SourceResult } from '../source-contract.ts';
import { type Configuration, ConfigurationFault } from './server-configuration.ts';

/** A request of a caller, as plugins see it. There is one object for all hooks of a request. */
export interface IncomingRequest {
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly address: string;
  /** Claims of the verified token; undefined for a caller without one. */
  claims?: Readonly<Record<string, unknown>>;
  /** Answers `@authenticated` and `@requiresScopes`. From the token, unless a plugin sets another. */
  authorization: Authorization;
  /** More headers for all subgraphs. */
  readonly subgraphHeaders: Record<string, string>;
}

/** An operation before it is planned. */
export interface PlannedOperation {
  readonly document: DocumentNode;
  readonly kind: OperationTypeNode;
  readonly operationName?: string;
}

export interface SubgraphFetch {
  readonly subgraph: string;
  readonly request: SourceRequest;
  readonly caller: IncomingRequest;
}

/**
 * Hooks of the server. A hook that throws a `GraphQLError` refuses the operation with its message and code; other errors are masked and logged.
 * The plugins run in the order of the configuration.
 */
export interface Plugin {
  readonly name: string;
  /** Called for each request before its operation is read, after its token is verified. */
  onRequest?(request: IncomingRequest): void | Promise<void>;
  /** Called once for each new operation, before it is planned. Throw to refuse it, for all callers. */
  onPlan?(operation: PlannedOperation): void;
  /** Wraps each query and mutation to a subgraph. Call `next` at most once; its result may be changed or replaced. */
  onFetch?(fetch: SubgraphFetch, next: () => Promise<SourceResult>): Promise<SourceResult>;
  /** Called with each response before it is sent, also to WebSockets. Return another to replace it. */
  onResponse?(response: Outcome, request: IncomingRequest): Outcome | undefined | Promise<Outcome | undefined>;
  /** Returns those policies of `@policy` that the caller meets. A policy that no plugin returns is not met. */
  policies?(names: readonly string[], request: IncomingRequest): Iterable<string> | Promise<Iterable<string>>;
  /** Called when the server has closed. */
  close?(): void | Promise<void>;
}

/** The context of the requests to subgraphs. */
export interface CallerContext extends RequestContext {
  readonly caller: IncomingRequest;
  /** Headers with the claims that the gateway has signed. */
  readonly signed: Readonly<Record<string, string>>;
}

/** Load the plugins of a configuration. Throws `ConfigurationFault`. */
export async function loadPlugins(given: Configuration['plugins']): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  const faults: string[] = [];
  for (const each of given) {
    const { module, options } = typeof each === 'string' ? { module: each, options: undefined } : each;
    try {
      const { default: exported } = await import(module.startsWith('/') ? pathToFileURL(module).href : module);
      const plugin: unknown = typeof exported === 'function' ? await exported(options) : exported;
      if (typeof plugin !== 'object' || plugin === null || typeof (plugin as Plugin).name !== 'string') {
        throw new Error('its default export must be a plugin with a name, or a function that returns one');
      }
      plugins.push(plugin as Plugin);
    } catch (error) {
      faults.push(`plugins: ${module} cannot be loaded: ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new ConfigurationFault(faults);
  return plugins;
}

/** The policies that plugins say a caller meets. */
export async function policiesOf(
  plugins: readonly Plugin[],
  names: readonly string[],
  request: IncomingRequest,
): Promise<string[]> {
  const met = await Promise.all(plugins.map(async (plugin) => [...((await plugin.policies?.(names, request)) ?? [])]));
  return met.flat();
}
