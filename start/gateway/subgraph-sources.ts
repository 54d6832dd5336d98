import {
  forwarding,
  type HttpSourceOptions,
  httpSource,
  type Opening,
  type SubgraphAddress,
  subgraphCheck,
  subgraphsOf,
} from 'compiled-gateway';
import { ConfigurationError } from '../../schema/environment.ts';
import type { Check, Checks } from '../../schema/readiness.ts';
import type { readConfig } from '../../server/config.ts';
import { isProduct, ownSubgraphs } from './own-subgraphs.ts';

type Config = Pick<ReturnType<typeof readConfig>, 'SUBGRAPH_URLS' | 'FORWARD_HEADERS' | 'MASK_ERRORS'>;

/** The external subgraphs of a supergraph. */
export function externalSubgraphs(sdl: string): SubgraphAddress[] {
  const subgraphs = subgraphsOf(sdl);
  return isProduct(subgraphs) ? subgraphs.filter(({ name }) => !(name in ownSubgraphs)) : subgraphs;
}

/** URLs of these subgraphs by name. Throws `ConfigurationError` for unknown names and missing URLs. */
export function addressesOf(subgraphs: readonly SubgraphAddress[], overrides: Config['SUBGRAPH_URLS']): Record<string, string> {
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

const isMasked = (name: string, { MASK_ERRORS }: Config) => MASK_ERRORS.includes('*') || MASK_ERRORS.includes(name);

/** Sources of external subgraphs. They receive no secret, and only the configured caller headers. */
export function externalSources(
  sdl: string,
  config: Config,
  link: Pick<HttpSourceOptions, 'inFlight' | 'trace' | 'timeoutMs'>,
): Record<string, Opening> {
  const addresses = Object.entries(addressesOf(externalSubgraphs(sdl), config.SUBGRAPH_URLS));
  return Object.fromEntries(
    addresses.map(([name, url]) => {
      const options = { url, ...link, connectionPerCaller: true, readsFailures: !isMasked(name, config) };
      return [name, { address: url, open: () => forwarding(httpSource(options), config.FORWARD_HEADERS) }];
    }),
  );
}

/**
 * Readiness checks of `own` and of the external subgraphs. `replace` switches to the subgraphs of another supergraph.
 */
export function externalChecks(sdl: string, { SUBGRAPH_URLS }: Config, own: Checks = {}) {
  const current: Record<string, Check> = { ...own };
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
  (config: Config, own: ReadonlySet<string>) =>
  (names: readonly string[]): string[] =>
    names.filter((name) => !own.has(name) && !isMasked(name, config));
