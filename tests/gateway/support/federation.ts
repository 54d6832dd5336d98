import { composeServices } from '@apollo/composition';
import type { GraphQLResolverMap } from '@apollo/subgraph';
import { buildSubgraphSchema } from '@apollo/subgraph';
import type { Answer, Operation, Source, SourceRequest, SourceResult } from 'compiled-gateway';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { execute, parse, subscribe } from 'graphql';
import type { Gateway, GatewayOptions } from '../../../gateway/compiled-gateway.ts';
import { createGateway } from '../../../gateway/compiled-gateway.ts';

export interface Subgraph {
  name: string;
  /** URL of the subgraph in the supergraph. */
  url?: string;
  typeDefs: string;
  resolvers?: GraphQLResolverMap<unknown>;
}

/** One subgraph, its resolvers as plain functions. */
export const subgraph = (name: string, typeDefs: string, resolvers: object = {}): Subgraph => ({
  name,
  typeDefs,
  resolvers: resolvers as never,
});

export const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: [
  "@key", "@requires", "@provides", "@external", "@shareable", "@interfaceObject", "@override", "@inaccessible", "@extends",
  "@authenticated", "@requiresScopes", "@policy"])
`;

export interface Federation {
  supergraph: string;
  schemas: Record<string, GraphQLSchema>;
}

/** Compose the schemas of subgraphs. Throws when they do not compose. */
export function compose(subgraphs: readonly { name: string; url?: string; typeDefs: DocumentNode }[]): string {
  const { supergraphSdl, errors } = composeServices([...subgraphs]);
  if (!supergraphSdl) throw new Error(errors?.map(({ message }) => message).join('\n'));
  return supergraphSdl;
}

/** Compose subgraphs into a supergraph and create an executable schema for each. */
export function federate(subgraphs: readonly Subgraph[]): Federation {
  const documents = subgraphs.map(({ typeDefs, ...more }) => ({ ...more, typeDefs: parse(link + typeDefs) }));
  return {
    supergraph: compose(documents),
    schemas: Object.fromEntries(
      documents.map(({ name, typeDefs, resolvers }) => [name, buildSubgraphSchema([{ typeDefs, resolvers }])]),
    ),
  };
}

/** An in-process subgraph that runs with graphql-js. `seen` collects every request. */
export function sourceOf(schema: GraphQLSchema, seen?: SourceRequest[]): Source {
  const args = (request: SourceRequest) => ({
    schema,
    document: request.document,
    variableValues: request.variables,
    contextValue: request.context,
  });
  return {
    async execute(request) {
      seen?.push(request);
      const { data, errors } = await execute(args(request));
      return { data, errors: errors?.map((error) => error.toJSON()) };
    },
    async subscribe(request) {
      const stream = await subscribe(args(request));
      if (!(Symbol.asyncIterator in stream)) return { errors: stream.errors?.map((error) => error.toJSON()) };
      return stream as never;
    },
  };
}

export function gatewayOf(
  { supergraph, schemas }: Federation,
  more: Partial<GatewayOptions> = {},
  seen?: SourceRequest[],
): Gateway {
  const sources = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, sourceOf(schema, seen)]));
  return createGateway({ supergraph, ...more, sources: { ...sources, ...more.sources } });
}

export const anyone = { headers: {} };

/** A logger that writes nothing. */
export const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Run one operation and return its JSON result. */
export async function ask(gateway: Gateway, text: string, variables: Record<string, unknown> = {}) {
  return read(await gateway.operation(parse(text)).execute(variables, anyone));
}

export interface AnswerInParts extends SourceResult {
  /** The first answer and the answer after each event, as a client has them. */
  steps: SourceResult[];
  /** The places of fragments that failed as a whole. */
  failed: (readonly (string | number)[])[];
}

/** Run one operation and merge the parts of its answer, as a client does. */
export async function askInParts(gateway: Gateway, text: string, variables: Record<string, unknown> = {}): Promise<AnswerInParts> {
  const operation = gateway.operation(parse(text));
  const run: NonNullable<Operation['executeInParts']> = operation.executeInParts ?? operation.execute;
  const { deferred, ...first } = await run(variables, anyone);
  const result = read(first);
  const steps = [plain(result)];
  const failed: AnswerInParts['failed'] = [];
  const places = new Map((deferred?.pending ?? []).map((place) => [place.id, place]));
  for await (const { completed, pending, hasNext } of deferred?.events ?? []) {
    for (const place of pending) places.set(place.id, place);
    for (const { id, path, label, data, errors } of completed) {
      expect(places.get(id)).toEqual({ id, path, label });
      places.delete(id);
      const target = path.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], result.data);
      const fields: unknown = JSON.parse(data);
      if (fields === null) failed.push(path);
      else mergeInto(target as Record<string, unknown>, fields as Record<string, unknown>);
      if (errors) result.errors = [...(result.errors ?? []), ...plain(errors)];
    }
    expect(hasNext).toBe(places.size > 0);
    steps.push(plain(result));
  }
  expect(places.size).toBe(0);
  return { ...result, steps, failed };
}

/** Merge the fields of a part into the object at its path. */
export function mergeInto(target: Record<string, unknown>, fields: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(fields)) {
    const known = target[key];
    if (typeof known === 'object' && known !== null && typeof value === 'object' && value !== null)
      mergeInto(known as Record<string, unknown>, value as Record<string, unknown>);
    else target[key] = value;
  }
}

export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** A parsed response. */
export const read = ({ data, errors }: Answer): SourceResult => ({
  ...(data !== undefined && { data: JSON.parse(data) }),
  ...(errors && { errors: plain(errors) }),
});

/** Every event of a stream that ends. */
export async function drain(events: AsyncIterable<Answer>): Promise<SourceResult[]> {
  const all: SourceResult[] = [];
  for await (const event of events) all.push(read(event));
  return all;
}
