import { parse } from 'graphql';
import type { PublishedSubgraph } from './published-schemas.ts';

/** A schema that cannot be published or checked, with the reason. */
export class SchemaFault extends Error {}

/** Bytes of one SDL. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FAULTS = 50;

/** Compose subgraphs to a supergraph. Throws `SchemaFault` with the reasons if they do not compose. */
export async function composeSubgraphs(subgraphs: readonly PublishedSubgraph[]): Promise<string> {
  const { composeServices } = await import('@apollo/composition');
  const services = subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: documentOf(sdl, `The subgraph ${name}`) }));
  const { supergraphSdl, errors = [] } = withDepth('The schema', () => composeServices(services));
  if (supergraphSdl) return supergraphSdl;
  const reasons = errors.slice(0, MAX_FAULTS).map(({ message }) => `  ${message}`);
  if (errors.length > MAX_FAULTS) reasons.push(`  and ${errors.length - MAX_FAULTS} more`);
  throw new SchemaFault(['The subgraphs do not compose:', ...reasons].join('\n'));
}

/** Throws `SchemaFault` for SDL that cannot be read or stored. */
export function documentOf(sdl: string, title: string) {
  if (Buffer.byteLength(sdl) > MAX_BYTES) throw new SchemaFault(`${title} has more than ${MAX_BYTES / 1024 / 1024} MiB`);
  // PostgreSQL cannot store it.
  if (sdl.includes('\0')) throw new SchemaFault(`${title} has a null character`);
  try {
    return withDepth(title, () => parse(sdl));
  } catch (error) {
    if (error instanceof SchemaFault) throw error;
    throw new SchemaFault(`${title} is not GraphQL: ${(error as Error).message}`);
  }
}

/** Run a recursive reader. Text that nests too deeply is a fault of the text. */
export function withDepth<T>(title: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaFault(`${title} nests too deeply`);
    throw error;
  }
}
