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
import { httpSource, pick, RequestRefused, withHeaders } from '../sources/http-source.ts';
import { type InFlight, isQuery } from '../sources/in-flight.ts';
import { subgraphsOf } from '../supergraph/contents.ts';
import { refusal } from './operations.ts';
import type { CallerContext, Plugin } from './plugin.ts';
import {
  type Configuration,
  ConfigurationFault,
  type HeaderRules,
  type SubgraphSettings,
  settingsOf,
} from './server-configuration.ts';
import { claimAt } from './token-verification.ts';

interface SourceOptions {
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

type Headers = Record<string, string | undefined>;
type Requested = Pick<CallerContext, 'headers' | 'caller'>;

/** Returns the headers of a request to a subgraph with these rules. */
const headersBy =
  (rules: HeaderRules) =>
  (context: CallerContext): Headers => ({
    ...forwarded(rules, context),
    ...rules.set,
    ...context.caller.subgraphHeaders,
    ...claimed(rules, context),
    ...context.signed,
  });

function forwarded({ forward = [], rename = {} }: HeaderRules, { headers: given }: Requested): Headers {
  const headers = pick(given, forward);
  for (const [from, to] of Object.entries(rename)) if (given[from] !== undefined) headers[to] = given[from];
  return headers;
}

/** Callers cannot send these, so a header without its claim is undefined. */
const claimed = ({ claims = {} }: HeaderRules, { caller }: Requested): Headers =>
  Object.fromEntries(
    Object.entries(claims).map(([path, name]) => [name, headerTextOf(path, caller.claims && claimAt(caller.claims, path))]),
  );

/** A text that reads as itself: no other is encoded to it, and it is no JSON of a list or object. */
const PLAIN = /^(?![ [{])[\x20-\x24\x26-\x7e]*(?<! )$/;

/**
 * A claim as the value of a header. Lists and objects are JSON and begin with `[` or `{`. Any other value is text, and where it is not plain,
 * in percent encoding as a whole. So no two texts, lists or objects are equal.
 */
function headerTextOf(path: string, claim: unknown): string | undefined {
  if (claim === undefined || claim === null) return undefined;
  if (typeof claim === 'object') return JSON.stringify(claim).replace(/[\x7f-\uffff]/g, escaped);
  const text = String(claim);
  if (PLAIN.test(text)) return text;
  if (!text.isWellFormed()) throw refusal('UNAUTHENTICATED', `The claim ${path} of the token is no Unicode text`);
  return encodeURIComponent(text);
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Characters of the header values that a caller gives a subgraph. Servers refuse requests with more than 8 or 16 kB of headers. */
const MAX_GIVEN = 4_096;

/** Create a check that throws when a caller gives a subgraph too much in headers, or a claim that can be no header. */
export function createHeaderCheck(configuration: Pick<Configuration, 'defaults' | 'subgraphs'>): (requested: Requested) => void {
  const all = [undefined, ...Object.keys(configuration.subgraphs)].map((name) => settingsOf(configuration, name).headers);
  return (requested) => {
    for (const rules of all) {
      const values = Object.values({ ...forwarded(rules, requested), ...claimed(rules, requested) });
      const length = values.reduce((sum, value = '') => sum + value.length, 0);
      if (length > MAX_GIVEN)
        throw refusal(
          'HEADERS_TOO_LARGE',
          `Headers and claims for a subgraph may have ${MAX_GIVEN} characters together, not ${length}`,
        );
    }
  };
}
