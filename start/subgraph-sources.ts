import { forwarding } from '../gateway/forwarding.ts';
import { type HttpSourceOptions, httpSource } from '../gateway/source-http.ts';
import { subgraphCheck } from '../gateway/subgraph-check.ts';
import type { SubgraphAddress } from '../gateway/supergraph.ts';
import { ConfigurationError } from '../schema/environment.ts';
import type { Checks } from '../schema/readiness.ts';
import type { Source } from '../schema/request.ts';
import type { readConfig } from '../server/config.ts';

type Config = Pick<ReturnType<typeof readConfig>, 'SUBGRAPH_URLS' | 'FORWARD_HEADERS'>;

/** Addresses by name of subgraphs that are not the product's own. Throws `ConfigurationError` for names and addresses that do not fit. */
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

/** Sources of subgraphs that are not the product's own: they get no secret, and of the caller only what is configured. */
export function sourcesOfOthers(
  addresses: Record<string, string>,
  { FORWARD_HEADERS }: Config,
  how: Pick<HttpSourceOptions, 'inFlight' | 'trace'>,
): { sources: Record<string, Source>; checks: Checks } {
  const entries = Object.entries(addresses);
  return {
    sources: Object.fromEntries(entries.map(([name, url]) => [name, forwarding(httpSource({ url, ...how }), FORWARD_HEADERS)])),
    checks: Object.fromEntries(entries.map(([name, url]) => [name, subgraphCheck(url)])),
  };
}
