import {
  followSupergraph,
  type LiveGateway,
  type SupergraphLocation,
  type SupergraphOutcome,
  subgraphsOf,
  supergraphAt,
} from 'compiled-gateway';
import type { Logger } from 'pino';
import { ConfigurationError } from '../../schema/environment.ts';
import type { readConfig } from '../../server/config.ts';
import type { Telemetry } from '../telemetry/start.ts';

type Config = Pick<ReturnType<typeof readConfig>, 'SUPERGRAPH' | 'SUPERGRAPH_HEADERS' | 'SUPERGRAPH_POLL'>;

/** The initial supergraph of a gateway process, and the location of later versions. */
export interface InitialSupergraph {
  location: SupergraphLocation;
  text: string;
}

/** Read the configured supergraph. Throws `ConfigurationError` with its path or URL and the reason. */
export async function readSupergraph({ SUPERGRAPH, SUPERGRAPH_HEADERS, SUPERGRAPH_POLL }: Config): Promise<InitialSupergraph> {
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
