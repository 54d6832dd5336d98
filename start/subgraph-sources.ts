import type { readConfig } from '../gateway/config.ts';
import { forwarding } from '../gateway/forwarding.ts';
import type { Opening } from '../gateway/live/live.ts';
import { type HttpSourceOptions, httpSource } from '../gateway/source-http.ts';
import type { SubgraphAddress } from '../gateway/supergraph/subgraphs.ts';
import { ConfigurationError } from '../schema/environment.ts';

type Config = Pick<ReturnType<typeof readConfig>, 'SUBGRAPH_URLS' | 'FORWARD_HEADERS' | 'MASK_ERRORS'>;

const isMasked = (name: string, { MASK_ERRORS }: Config) => MASK_ERRORS.includes('*') || MASK_ERRORS.includes(name);

/** Sources of subgraphs that are not the product's own: they get no secret, and of the caller only the headers that are configured. */
export function openingsOfOthers(
  subgraphs: readonly SubgraphAddress[],
  config: Config,
  how: Pick<HttpSourceOptions, 'inFlight' | 'trace'>,
): Record<string, Opening> {
  const { SUBGRAPH_URLS, FORWARD_HEADERS } = config;
  const named = new Set(subgraphs.map(({ name }) => name));
  const unknown = Object.keys(SUBGRAPH_URLS).filter((name) => !named.has(name));
  const addresses = subgraphs.map(({ name, url }) => ({ name, url: SUBGRAPH_URLS[name] ?? url }));
  const nowhere = addresses.filter(({ url }) => !/^https?:/.test(url) || !URL.canParse(url));
  const faults = [
    ...unknown.map((name) => `SUBGRAPH_URLS names ${name}, which is no subgraph of the supergraph that can be moved by it`),
    ...nowhere.map(({ name }) => `SUBGRAPH_URLS must name an address of ${name}: the supergraph has none`),
  ];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return Object.fromEntries(
    addresses.map(({ name, url }) => {
      const options = { url, ...how, connectionPerCaller: true, readsFailures: !isMasked(name, config) };
      return [name, { address: url, open: () => forwarding(httpSource(options), FORWARD_HEADERS) }];
    }),
  );
}

/** The subgraphs whose errors callers see as they are: those that are neither the product's own nor masked by configuration. */
export const verbatimOf =
  (own: ReadonlySet<string>, config: Config) =>
  (names: readonly string[]): string[] =>
    names.filter((name) => !own.has(name) && !isMasked(name, config));
