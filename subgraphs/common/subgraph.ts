import 'reflect-metadata';
import { buildSubgraphSchema, type GraphQLResolverMap, printSubgraphSchema } from '@apollo/subgraph';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
  parse,
  subscribe,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { GraphQLDateTime } from 'graphql-scalars';
import { buildSchema, createResolversMap, getMetadataStorage, type NonEmptyArray } from 'type-graphql';
import type { RequestContext, Source, SourceResult } from '../../schema/request.ts';
import { formatError } from './errors.ts';
import { checkLimits, describeLimit, limitsOf } from './limits.ts';
import { Gatekeeper, type RequestScope } from './scope.ts';

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

const FEDERATION = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@inaccessible", "@external"])\n`;

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
  describeLimits(schema);
  const sdl = FEDERATION + printSubgraphSchema(schema);
  const map = createResolversMap(schema) as GraphQLResolverMap<unknown>;
  for (const [type, resolve] of Object.entries(references)) {
    // A type without a resolver of its own is not in the map yet.
    map[type] = {
      ...(map[type] as object | undefined),
      __resolveReference: (reference: { id: string }, scope: RequestScope) => resolve(reference, scope),
    };
  }
  return { name, sdl, schema: buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: map }]) };
}

/** Write the declared limits into the descriptions, so that every document made from the schema shows them. */
function describeLimits(schema: GraphQLSchema): void {
  const { inputTypes, argumentTypes, queries, mutations, subscriptions, fieldResolvers } = getMetadataStorage();
  const note = (target: { description?: string | null } | undefined, sentence: string) => {
    // Two types may have a field of the same name and arguments.
    if (target && !target.description?.endsWith(sentence))
      target.description = [target.description, sentence].filter(Boolean).join(' ');
  };
  for (const { name, target } of inputTypes) {
    const type = schema.getType(name);
    if (!isInputObjectType(type)) continue;
    for (const [field, limit] of limitsOf(target)) note(type.getFields()[field], describeLimit(limit));
  }
  const argumentClasses = new Set<unknown>(argumentTypes.map(({ target }) => target));
  for (const { methodName, params = [] } of [...queries, ...mutations, ...subscriptions, ...fieldResolvers]) {
    for (const param of params) {
      const type = param.kind === 'args' ? param.getType() : undefined;
      if (!argumentClasses.has(type)) continue;
      for (const owner of Object.values(schema.getTypeMap()).filter(isObjectType)) {
        const field = owner.getFields()[methodName];
        for (const [name, limit] of field ? limitsOf(type) : [])
          note(
            field?.args.find((each) => each.name === name),
            describeLimit(limit),
          );
      }
    }
  }
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

  return {
    async execute({ document, variables, context }) {
      const operation = compile(document);
      // Literals that a scalar refuses are found when the document is compiled.
      if (!isCompiledQuery(operation)) return formatted(operation as SourceResult);
      return formatted((await operation.query(undefined, await scopeOf(context), variables)) as SourceResult);
    },
    async subscribe({ document, variables, context }) {
      const contextValue = await scopeOf(context);
      const stream = await subscribe({ schema, document, contextValue, variableValues: variables });
      return Symbol.asyncIterator in stream
        ? map(stream as AsyncIterable<SourceResult>, formatted)
        : formatted(stream as SourceResult);
    },
  };
}

async function* map<A, B>(stream: AsyncIterable<A>, change: (each: A) => B): AsyncGenerator<B, void, void> {
  for await (const each of stream) yield change(each);
}
