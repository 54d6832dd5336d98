import {
  buildNewest,
  followSupergraph,
  type HttpSourceOptions,
  httpSource,
  type LiveGateway,
  type Opening,
  type SubgraphAddress,
  type SupergraphLocation,
  type SupergraphOutcome,
  subgraphCheck,
  subgraphsOf,
  supergraphAt,
  withHeaders,
} from 'compiled-gateway';
import type { Logger } from 'pino';
import { ConfigurationError } from '../../schema/environment.ts';
import type { Checks, ReadinessCheck } from '../../schema/readiness.ts';
import type { readConfig } from '../../server/config.ts';
import { externalHeaders } from '../../server/request-admission.ts';
import type { Telemetry } from '../telemetry/start.ts';

type Config = Pick<ReturnType<typeof readConfig>, 'SUPERGRAPH' | 'SUPERGRAPH_HEADERS'> &
  Partial<Pick<SubgraphConfig, 'SUBGRAPH_URLS'>>;

/** The initial supergraph of a gateway process, and the location of later versions. */
export interface InitialSupergraph {
  location: SupergraphLocation;
  text: string;
  /** Why newer versions at the location cannot be served. */
  refused: readonly Error[];
}

/** Milliseconds between two reads of a supergraph at a URL. */
const POLL_MS = 10_000;

/**
 * Read the configured supergraph: from a registry, the newest version whose subgraphs have addresses. Throws `ConfigurationError` with its path
 * or URL and the reason.
 */
export async function readSupergraph(
  { SUPERGRAPH, SUPERGRAPH_HEADERS, SUBGRAPH_URLS }: Config,
  pollInterval = POLL_MS,
): Promise<InitialSupergraph> {
  const location = locationOf(SUPERGRAPH, { headers: SUPERGRAPH_HEADERS, pollInterval });
  const refused: Error[] = [];
  const checked = (text: string) => {
    const external = externalSubgraphs(text);
    if (SUBGRAPH_URLS && location.readEarlier) addressesOf(external, SUBGRAPH_URLS);
    return text;
  };
  try {
    const text = await buildNewest(location, await location.read(), checked, (error) => refused.push(error));
    return { location, text, refused };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([`SUPERGRAPH: ${location.name} ${(error as Error).message}`]);
  }
}

function locationOf(...setting: Parameters<typeof supergraphAt>): SupergraphLocation {
  try {
    return supergraphAt(...setting);
  } catch (error) {
    throw new ConfigurationError([`SUPERGRAPH ${(error as Error).message}`]);
  }
}

const lines = {
  applied: ['info', 'Loaded a new supergraph'],
  refused: ['error', 'Failed to build the new supergraph; the gateway keeps the old one'],
  unreadable: ['error', 'Failed to read the supergraph; the gateway keeps the old one'],
  recovered: ['info', 'Reading the supergraph succeeded again'],
} as const satisfies Record<SupergraphOutcome, readonly ['info' | 'error', string]>;

interface FollowOptions {
  logger: Logger;
  telemetry: Telemetry;
  /** Called with each new supergraph after it becomes active. */
  onReplaced(supergraph: string): void;
}

/** Serve each new supergraph version from the location. Returns a function that stops watching. */
export function followUpdates(
  gateway: LiveGateway,
  location: SupergraphLocation,
  { logger, telemetry: { observer }, onReplaced }: FollowOptions,
): () => Promise<void> {
  return followSupergraph({
    location,
    async replace(text) {
      await gateway.replace(text);
      onReplaced(text);
    },
    onOutcome(outcome, err) {
      const [level, line] = lines[outcome];
      logger[level]({ supergraph: location.name, ...(err && { err }) }, line);
      observer?.supergraph?.(outcome);
    },
  });
}

type SubgraphConfig = Pick<ReturnType<typeof readConfig>, 'SUBGRAPH_URLS' | 'FORWARD_HEADERS' | 'MASK_ERRORS'>;

/** The external subgraphs of a supergraph. */
export function externalSubgraphs(sdl: string): SubgraphAddress[] {
  const subgraphs = subgraphsOf(sdl);
  return isProduct(subgraphs) ? subgraphs.filter(({ name }) => !(name in ownSubgraphs)) : subgraphs;
}

/** URLs of these subgraphs by name. Throws `ConfigurationError` for unknown names and missing URLs. */
export function addressesOf(
  subgraphs: readonly SubgraphAddress[],
  overrides: SubgraphConfig['SUBGRAPH_URLS'],
): Record<string, string> {
  const named = new Set(subgraphs.map(({ name }) => name));
  const unknown = Object.keys(overrides).filter((name) => !named.has(name));
  const addresses = subgraphs.map(({ name, url }) => ({ name, url: overrides[name] ?? url }));
  const nowhere = addresses.filter(({ url }) => !/^https?:/.test(url) || !URL.canParse(url));
  const faults = [
    ...unknown.map((name) => `SUBGRAPH_URLS names ${name}, which is not an external subgraph of the supergraph`),
    ...nowhere.map(({ name }) => `SUBGRAPH_URLS must name an address of ${name}: the supergraph has none`),
  ];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return Object.fromEntries(addresses.map(({ name, url }) => [name, url]));
}

const isMasked = (name: string, { MASK_ERRORS }: SubgraphConfig) => MASK_ERRORS.includes('*') || MASK_ERRORS.includes(name);

/** Sources of external subgraphs. They receive no secret, only the configured caller headers and the signed caller. */
export function externalSources(
  sdl: string,
  config: SubgraphConfig,
  link: Pick<HttpSourceOptions, 'inFlight' | 'trace' | 'timeoutMs'>,
): Record<string, Opening> {
  const addresses = Object.entries(addressesOf(externalSubgraphs(sdl), config.SUBGRAPH_URLS));
  return Object.fromEntries(
    addresses.map(([name, url]) => {
      const options = { url, ...link, connectionPerCaller: true, readsFailures: !isMasked(name, config) };
      return [name, { address: url, open: () => withHeaders(httpSource(options), externalHeaders(config.FORWARD_HEADERS)) }];
    }),
  );
}

/**
 * Readiness checks of `own` and of the external subgraphs. `replace` switches to the subgraphs of another supergraph.
 */
export function externalChecks(sdl: string, { SUBGRAPH_URLS }: SubgraphConfig, own: Checks = {}) {
  const current: Record<string, ReadinessCheck> = { ...own };
  const replace = (next: string) => {
    const addresses = addressesOf(externalSubgraphs(next), SUBGRAPH_URLS);
    for (const name of Object.keys(current)) if (!(name in own)) delete current[name];
    for (const [name, url] of Object.entries(addresses)) current[name] = subgraphCheck(url);
  };
  replace(sdl);
  return { current, replace };
}

/** The external subgraphs whose errors reach callers unmasked. */
export const unmaskedSubgraphs =
  (config: SubgraphConfig, own: ReadonlySet<string>) =>
  (names: readonly string[]): string[] =>
    names.filter((name) => !own.has(name) && !isMasked(name, config));

/** The product's own subgraphs, each with the variable that moves it to a separate process. */
export const ownSubgraphs = { catalog: 'CATALOG_URL', agent: 'AGENT_URL', 'site-content': 'SITE_CONTENT_URL' } as const;

/** Whether a supergraph contains all of the product's subgraphs; it may contain others. */
export const isProduct = (subgraphs: readonly SubgraphAddress[]): boolean =>
  Object.keys(ownSubgraphs).every((own) => subgraphs.some(({ name }) => name === own));
