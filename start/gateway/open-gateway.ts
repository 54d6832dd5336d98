import {
  buildNewest,
  createLiveGateway,
  type HttpSourceOptions,
  InFlight,
  type LiveGateway,
  type LiveGatewayOptions,
  type Opening,
  type Source,
} from 'compiled-gateway';
import type { Logger } from 'pino';
import { ConfigurationError } from '../../schema/environment.ts';
import type { readConfig } from '../../server/config.ts';
import type { Telemetry } from '../telemetry/start.ts';
import type { InitialSupergraph } from './supergraph.ts';
import { externalSources, unmaskedSubgraphs } from './supergraph.ts';

type Config = ReturnType<typeof readConfig>;

/** The settings of all connections to subgraphs in other processes. */
export type Link = Pick<HttpSourceOptions, 'inFlight' | 'trace' | 'timeoutMs'>;

export const linkOf = ({ SHARE_REQUESTS, OPERATION_TIMEOUT }: Config, { headers }: Telemetry): Link => ({
  inFlight: SHARE_REQUESTS ? new InFlight() : undefined,
  trace: headers,
  timeoutMs: linkTimeout(OPERATION_TIMEOUT),
});

interface GatewayParts extends Pick<Telemetry, 'observer'> {
  config: Config;
  supergraph: InitialSupergraph;
  link: Link;
  logger: Logger;
  /** Sources of the product's own subgraphs, by name. */
  own?: ReadonlyMap<string, Source>;
}

type SchemaOptions = Pick<LiveGatewayOptions, 'apiDirectives' | 'scalars' | 'limits' | 'usage'>;

/** A gateway with the supergraph that it serves at first. */
interface OpenedGateway {
  gateway: LiveGateway;
  supergraph: string;
}

/**
 * Create the gateway of a process. From a registry it serves the newest version that it can build. Throws `ConfigurationError` if no supergraph
 * can be served.
 */
export async function openGateway(
  { config, supergraph: { text, location, refused }, link, logger, observer, own = new Map() }: GatewayParts,
  options: SchemaOptions = {},
): Promise<OpenedGateway> {
  const openOwn = [...own].map(([name, source]): [string, Opening] => [name, { address: name, open: () => source }]);
  const report = (err: Error) =>
    logger.error(
      { supergraph: location.name, err },
      'Failed to build the newest supergraph; the gateway starts with an earlier one',
    );
  refused.forEach(report);
  const build = (supergraph: string) => ({
    supergraph,
    gateway: createLiveGateway({
      ...options,
      supergraph,
      openings: (sdl) => ({ ...externalSources(sdl, config, link), ...Object.fromEntries(openOwn) }),
      verbatim: unmaskedSubgraphs(config, new Set(own.keys())),
      inFlight: link.inFlight,
      onFault: (subgraph, err) => logger.error({ subgraph, err }, 'a subgraph failed'),
      observer,
      grace: config.OPERATION_TIMEOUT * 1_000,
    }),
  });
  try {
    return await buildNewest(location, text, build, report);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([`SUPERGRAPH: ${location.name} cannot be served: ${(error as Error).message}`]);
  }
}

/** Milliseconds that an operation has to end first, so that callers get its own error. */
const MARGIN = 1_000;
const MIN = 30_000;

/**
 * Timeout of a request to a subgraph in another process, in milliseconds. The signal of an operation ends its requests earlier, so the
 * timeout applies to requests without a deadline, such as those for the events of a subscription.
 * @param operationTimeout in seconds
 */
export const linkTimeout = (operationTimeout: number): number => Math.max(MIN, operationTimeout * 1_000 + MARGIN);
