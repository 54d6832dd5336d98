import { readFile } from 'node:fs/promises';
import { composeServices } from '@apollo/composition';
import { createGateway, schemaOf, subgraphsOf } from 'compiled-gateway';
import { type GraphQLSchema, parse } from 'graphql';
import { ownSubgraphs } from '../gateway/supergraph.ts';

const folder = new URL('../../schema/', import.meta.url);
const unreachable = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };

/** The schema for callers in the SDL of a supergraph or of such a schema. */
export function schemaIn(sdl: string): GraphQLSchema {
  if (!/\benum\s+join__Graph\b/.test(sdl)) return schemaOf(sdl);
  const sources = Object.fromEntries(subgraphsOf(sdl).map(({ name }) => [name, unreachable]));
  return createGateway({ supergraph: sdl, sources }).schema;
}

/** Compose the product's own subgraphs with others, by their names. Throws the faults of the composition. */
export async function composeWith(files: Readonly<Record<string, string>>): Promise<string> {
  const own = Object.fromEntries(Object.keys(ownSubgraphs).map((name) => [name, new URL(`${name}.graphql`, folder)]));
  const all = Object.entries<string | URL>({ ...own, ...files }).map(async ([name, file]) => ({
    name,
    url: `http://${name}`,
    typeDefs: parse(await readFile(file, 'utf8')),
  }));
  const { supergraphSdl, errors } = composeServices(await Promise.all(all));
  if (!supergraphSdl) throw new Error(`The subgraphs do not compose:\n${errors?.map(({ message }) => `  ${message}`).join('\n')}`);
  return supergraphSdl;
}
