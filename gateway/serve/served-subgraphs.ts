import { randomUUID } from 'node:crypto';
import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  type IPolicy,
  noop,
  retry,
  wrap,
} from 'cockatiel';
import type { FastifyBaseLogger } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { mapStream } from '../event-stream.ts';
import { fail } from '../gateway-error.ts';
import type { Opening } from '../live/live-gateway.ts';
import type { Source, SourceRequest, SourceResult } from '../source-contract.ts';
import { httpSource, RequestRefused } from '../sources/http-source.ts';
import { type InFlight, isQuery } from '../sources/in-flight.ts';
import { withHeaders } from '../sources/request-headers.ts';
import { subgraphsOf } from '../supergraph/contents.ts';
import type { CallerContext, Plugin } from './plugin.ts';
import { type Configuration, ConfigurationFault, type SubgraphSettings, settingsOf } from './server-configuration.ts';
import { headersBy } from './subgraph-headers.ts';

export interface SourceOptions {
  configuration: Pick<Configuration, 'defaults' | 'subgraphs'>;
  plugins: readonly Plugin[];
  inFlight?: InFlight;
  log: FastifyBaseLogger;
  /** Whether a name that the supergraph does not have is a fault, which is right before subgraphs can come and go. */
  isStrict: boolean;
}

/** The subgraphs of a supergraph. Throws `ConfigurationFault` for names that it does not have and addresses that it lacks. */
export function openingsOf(
  supergraph: string,
  { configuration, plugins, inFlight, log, isStrict }: SourceOptions,
): Record<string, Opening> {
  const { subgraphs } = configuration;
  const found = subgraphsOf(supergraph);
  const unknown = Object.keys(subgraphs)
    .filter((name) => !found.some((each) => each.name === name))
    .map((name) => `subgraphs.${name} is no subgraph of the supergraph, which has ${found.map((each) => each.name).join(', ')}`);
  const addresses = found.map(({ name, url }) => ({ name, url: subgraphs[name]?.url ?? url }));
  if (!isStrict) for (const line of unknown) log.warn(line);
  const faults = [
    ...(isStrict ? unknown : []),
    ...addresses
      .filter(({ url }) => !/^https?:/.test(url) || !URL.canParse(url))
      .map(({ name }) => `subgraphs.${name}.url is missing: the supergraph has no address of ${name}`),
  ];
  if (faults.length > 0) throw new ConfigurationFault(faults);

  return Object.fromEntries(
    addresses.map(({ name, url }): [string, Opening] => {
      const settings = settingsOf(configuration, name);
      const open = () => {
        const { timeoutSeconds = 30, connections, exposeErrors = false } = settings;
        const http = httpSource({
          url,
          inFlight,
          timeoutMs: timeoutSeconds * 1_000,
          connections,
          connectionPerCaller: true,
          readsFailures: exposeErrors !== false,
        });
        const masked = masking(resilient(http, settings), name, exposeErrors, log);
        return hooked(withHeaders(masked, headersBy(settings.headers)), name, plugins);
      };
      return [name, { address: url, open }];
    }),
  );
}

/** Milliseconds before a query is repeated: the first wait and the longest. */
const BACKOFF = { initialDelay: 50, maxDelay: 1_000 };

/**
 * Repeat queries without an answer, and fail at once while the subgraph keeps failing. No failure is a caller that leaves or asks for too much, nor a
 * request that the subgraph refuses: one caller could stop the subgraph for all.
 */
function resilient(source: Source, { retries = 0, circuitBreaker: given }: SubgraphSettings): Source {
  if (retries === 0 && !given) return source;
  const breaker = given
    ? circuitBreaker(handleAll, { halfOpenAfter: given.seconds * 1_000, breaker: new ConsecutiveBreaker(given.failures) })
    : noop;
  // A broken circuit is not tried again, since that would only wait.
  const isWorthRetrying = handleAll.orType(BrokenCircuitError, () => false);
  const retrying = retries > 0 ? retry(isWorthRetrying, { maxAttempts: retries, backoff: new ExponentialBackoff(BACKOFF) }) : noop;
  const repeated = wrap(retrying, breaker);

  const run = async <Result>(request: SourceRequest, policy: IPolicy, work: () => Result | Promise<Result>): Promise<Result> => {
    const { signal, budget } = request.context;
    const attempt = async (): Promise<{ result: Result } | { error: unknown }> => {
      try {
        return { result: await work() };
      } catch (error) {
        if (hasLeft(signal) || budget?.refusal || isRefused(error)) return { error };
        throw error;
      }
    };
    const outcome = await policy.execute(attempt, signal).catch((error: unknown) => {
      throw error instanceof BrokenCircuitError ? fail('UNAVAILABLE', 'The subgraph keeps failing and is not asked') : error;
    });
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  };
  return {
    execute: (request) => run(request, isQuery(request.document) ? repeated : breaker, () => source.execute(request)),
    subscribe: (request) => run(request, breaker, () => source.subscribe(request)),
    close: async () => source.close?.(),
  };
}

const isRefused = (error: unknown): boolean => error instanceof Error && error.cause instanceof RequestRefused;

/** Whether the caller has left. An operation that took too long is a failure of its subgraphs. */
const hasLeft = (signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && (signal.reason as Error | undefined)?.name !== 'TimeoutError';

/** Replace errors that callers may not see. The log has them. */
function masking(source: Source, subgraph: string, expose: boolean | readonly string[], log: FastifyBaseLogger): Source {
  if (expose === true) return source;
  const masked = (error: GraphQLFormattedError): GraphQLFormattedError => {
    const code = error?.extensions?.code;
    if (expose !== false && typeof code === 'string' && expose.includes(code)) return error;
    const id = randomUUID();
    log.warn({ subgraph, id, error }, 'A subgraph answered an error');
    return { message: 'Internal Server Error', path: error?.path, extensions: { code: 'INTERNAL_SERVER_ERROR', id } };
  };
  const maskedResult = (result: SourceResult): SourceResult =>
    Array.isArray(result?.errors) && result.errors.length > 0
      ? { ...result, errors: result.errors.slice(0, MAX_ERRORS).map(masked) }
      : result;
  return {
    execute: async (request) => maskedResult(await source.execute(request)),
    async subscribe(request) {
      const events = await source.subscribe(request);
      if (!(Symbol.asyncIterator in events)) return maskedResult(events);
      return mapStream(events, { map: maskedResult, signal: request.context.signal });
    },
    close: async () => source.close?.(),
  };
}

/** Errors of one answer that are read. A response has no more. */
const MAX_ERRORS = 1_000;

/** Run the hooks of plugins around each query and mutation. */
function hooked(source: Source, subgraph: string, plugins: readonly Plugin[]): Source {
  const hooks = plugins.filter((plugin) => plugin.onFetch);
  if (hooks.length === 0) return source;
  return {
    execute(request) {
      const { caller } = request.context as CallerContext;
      const from = (at: number): Promise<SourceResult> => {
        const hook = hooks[at];
        if (!hook) return Promise.resolve(source.execute(request));
        return hook.onFetch!({ subgraph, request, caller }, async () => from(at + 1));
      };
      return from(0);
    },
    subscribe: (request) => source.subscribe(request),
    close: async () => source.close?.(),
  };
}
