import {
  forwarding,
  type HttpSourceOptions,
  httpSource,
  type Opening,
  type SubgraphAddress,
  subgraphCheck,
  subgraphsOf,
} from 'compiled-gateway';
import { ConfigurationError } from '../schema/environment.ts';
import type { Check, Checks } from '../schema/readiness.ts';
import type { readConfig } from '../server/config.ts';
import { isProduct, ownSubgraphs } from './own-subgraphs.ts';

type Config = Pick<ReturnType<typeof readConfig>, 'SUBGRAPH_URLS' | 'FORWARD_HEADERS' | 'MASK_ERRORS'>;

/** The subgraphs of a supergraph that are not the product's own, wherever the product is served. */
export function othersOf(sdl: string): SubgraphAddress[] {
  const subgraphs = subgraphsOf(sdl);
  return isProduct(subgraphs) ? subgraphs.filter(({ name }) => !(name in ownSubgraphs)) : subgraphs;
}

/** Addresses of these subgraphs by name. Throws `ConfigurationError` for names and addresses that do not fit. */
export function addressesOf(subgraphs: readonly SubgraphAddress[], overrides: Config['SUBGRAPH_URLS']): Record<string, string> {
  const named = new Set(subgraphs.map(({ name }) => name));
  const unknown = Object.keys(overrides).filter((name) => !named.has(name));
  const addresses = subgraphs.map(({ name, url }) => ({ name, url: overrides[name] ?? url }));
  const nowhere = addresses.filter(({ url }) => !/^https?:/.test(url) || !URL.canParse(url));
  const faults = [
    ...unknown.map((name) => `SUBGRAPH_URLS names ${name}, which is no subgraph of the supergraph that can be moved by it`),
    ...nowhere.map(({ name }) => `SUBGRAPH_URLS must name an address of ${name}: the supergraph has none`),
  ];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return Object.fromEntries(addresses.map(({ name, url }) => [name, url]));
}

const isMasked = (name: string, { MASK_ERRORS }: Config) => MASK_ERRORS.includes('*') || MASK_ERRORS.includes(name);

/** Sources of subgraphs that are not the product's own: they get no secret, and of the caller only the headers that are configured. */
export function openingsOfOthers(
  sdl: string,
  config: Config,
  how: Pick<HttpSourceOptions, 'inFlight' | 'trace'>,
): Record<string, Opening> {
  const addresses = Object.entries(addressesOf(othersOf(sdl), config.SUBGRAPH_URLS));
  return Object.fromEntries(
    addresses.map(([name, url]) => {
      const options = { url, ...how, connectionPerCaller: true, readsFailures: !isMasked(name, config) };
      return [name, { address: url, open: () => forwarding(httpSource(options), config.FORWARD_HEADERS) }];
    }),
  );
}

/**
 * Readiness checks of the subgraphs that are not the product's own, beside `own`. `replace` makes those of another supergraph current.
 */
export function checksOfOthers(sdl: string, { SUBGRAPH_URLS }: Config, own: Checks = {}) {
  const current: Record<string, Check> = { ...own };
  const replace = (next: string) => {
    const addresses = addressesOf(othersOf(next), SUBGRAPH_URLS);
    for (const name of Object.keys(current)) if (!(name in own)) delete current[name];
    for (const [name, url] of Object.entries(addresses)) current[name] = subgraphCheck(url);
  };
  replace(sdl);
  return { current, replace };
}

/** The subgraphs whose errors callers see as they are: those that are neither the product's own nor masked by configuration. */
export const verbatimOf =
  (config: Config, own: ReadonlySet<string> = new Set()) =>
  (names: readonly string[]): string[] =>
    names.filter((name) => !own.has(name) && !isMasked(name, config));
