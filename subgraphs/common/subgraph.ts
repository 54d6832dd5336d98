import 'reflect-metadata';
import { buildSubgraphSchema, type GraphQLResolverMap, printSubgraphSchema } from '@apollo/subgraph';
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, parse } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { GraphQLDateTime } from 'graphql-scalars';
import { buildSchema, createResolversMap, type NonEmptyArray } from 'type-graphql';
import type { RequestContext, Source, SourceResult } from '../../schema/request.ts';
import { describeSchema } from './describe.ts';
import { resolveEntities } from './entities.ts';
import { formatError } from './errors.ts';
import { creates, idempotent } from './idempotency.ts';
import { checkLimits } from './limits.ts';
import { countLists } from './list-size.ts';
import { Gatekeeper, type RequestScope } from './scope.ts';
import { openStream } from './stream.ts';

/** What makes a subgraph: its name in the graph, its resolvers, and how its entities are found by key. */
export interface SubgraphParts {
  name: string;
  // biome-ignore lint/complexity/noBannedTypes: type-graphql's own type for resolver classes
  resolvers: NonEmptyArray<Function>;
  /** By type name: the entity of a reference that another subgraph made. */
  references: Record<string, (reference: { id: string }, scope: RequestScope) => unknown>;
}

export interface Subgraph {
  name: string;
  schema: GraphQLSchema;
  sdl: string;
}

const FEDERATION = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@inaccessible", "@external", "@listSize"])\n`;

/** Every stream is read from a table; nothing is published in memory. type-graphql insists on having one. */
const noPubSub = {
  publish: () => {},
  subscribe: () => {
    throw new Error('subscriptions name their own source');
  },
};

export async function buildSubgraph({ name, resolvers, references }: SubgraphParts): Promise<Subgraph> {
  const schema = await buildSchema({
    resolvers,
    validateFn: checkLimits,
    authChecker: Gatekeeper,
    scalarsMap: [{ type: Date, scalar: GraphQLDateTime }],
    skipCheck: true,
    pubSub: noPubSub,
  });
  describeSchema(schema);
  const sdl = FEDERATION + printSubgraphSchema(schema);
  const map = createResolversMap(schema) as GraphQLResolverMap<unknown>;
  const mutations = (map.Mutation ?? {}) as Record<string, Parameters<typeof idempotent>[0]>;
  for (const [field, resolve] of Object.entries(mutations)) if (creates(field)) mutations[field] = idempotent(resolve);
  countLists(schema, map);
  for (const [type, resolve] of Object.entries(references)) {
    // A type without a resolver of its own is not in the map yet.
    map[type] = {
      ...(map[type] as object | undefined),
      __resolveReference: (reference: { id: string }, scope: RequestScope) => resolve(reference, scope),
    };
  }
  return { name, sdl, schema: resolveEntities(buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: map }])) };
}

/** A subgraph in this process: no text, no HTTP, each operation compiled once. */
export function inProcess({ schema }: Subgraph, scopeOf: (request: RequestContext) => Promise<RequestScope>): Source {
  const compiled = new WeakMap<DocumentNode, CompiledQuery | ExecutionResult>();
  const compile = (document: DocumentNode): CompiledQuery | ExecutionResult => {
    const known = compiled.get(document) ?? compileQuery(schema, document);
    compiled.set(document, known);
    return known;
  };
  const formatted = ({ data, errors }: SourceResult): SourceResult =>
    errors ? { data, errors: errors.map(formatError) } : { data };
  const answered = (result: SourceResult, { budget }: RequestContext): SourceResult =>
    budget?.refusal ? { errors: [budget.refusal.toJSON()] } : formatted(result);

  return {
    async execute({ document, variables, context }) {
      const operation = compile(document);
      // Literals that a scalar refuses are found when the document is compiled.
      if (!isCompiledQuery(operation)) return formatted(operation as SourceResult);
      return answered((await operation.query(undefined, await scopeOf(context), variables)) as SourceResult, context);
    },
    async subscribe({ document, variables, context }) {
      const operation = compile(document);
      if (!isCompiledQuery(operation)) return formatted(operation as SourceResult);
      const scope = await scopeOf(context);
      const answer = async (event: unknown) => answered((await operation.query(event, scope, variables)) as SourceResult, context);
      const stream = await openStream(schema, document, variables, scope, answer);
      return Symbol.asyncIterator in stream ? stream : formatted(stream);
    },
  };
}
