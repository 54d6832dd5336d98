import {
  followSupergraph,
  type LiveGateway,
  type SupergraphLocation,
  type SupergraphOutcome,
  subgraphsOf,
  supergraphAt,
} from 'compiled-gateway';
import type { Logger } from 'pino';
import { ConfigurationError } from '../schema/environment.ts';
import type { readConfig } from '../server/config.ts';
import type { Telemetry } from './telemetry.ts';

type Config = Pick<ReturnType<typeof readConfig>, 'SUPERGRAPH' | 'SUPERGRAPH_HEADERS' | 'SUPERGRAPH_POLL'>;

/** The supergraph that a gateway process begins with, and the place where later ones appear. */
export interface StartingSupergraph {
  location: SupergraphLocation;
  text: string;
}

/** Read the supergraph that the environment names. Throws `ConfigurationError` with the file or address and the reason. */
export async function readSupergraph({ SUPERGRAPH, SUPERGRAPH_HEADERS, SUPERGRAPH_POLL }: Config): Promise<StartingSupergraph> {
  const location = locationOf(SUPERGRAPH, { headers: SUPERGRAPH_HEADERS, pollInterval: SUPERGRAPH_POLL * 1_000 });
  try {
    const text = await location.read();
    subgraphsOf(text);
    return { location, text };
  } catch (error) {
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

/** Make a gateway from the supergraph. What keeps the supergraph from being served becomes a `ConfigurationError` that names it. */
export function served<T>({ location }: StartingSupergraph, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([`SUPERGRAPH: ${location.name} cannot be served: ${(error as Error).message}`]);
  }
}

const lines = {
  applied: ['info', 'a new supergraph is served'],
  refused: ['error', 'the new supergraph does not build; the gateway keeps the old one'],
  unreadable: ['error', 'the supergraph cannot be read; the gateway keeps the old one'],
  recovered: ['info', 'the supergraph can be read again'],
} as const satisfies Record<SupergraphOutcome, readonly ['info' | 'error', string]>;

interface Keeping {
  logger: Logger;
  telemetry: Telemetry;
  /** Called with each supergraph that is served from now on. */
  onReplaced(supergraph: string): void;
}

/** Serve each new supergraph that appears at the location. Returns a function that ends it. */
export function keepCurrent(
  gateway: LiveGateway,
  location: SupergraphLocation,
  { logger, telemetry: { observer }, onReplaced }: Keeping,
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
