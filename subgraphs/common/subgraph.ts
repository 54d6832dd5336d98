import type { RequestContext, Source, SourceResult } from 'compiled-gateway';
import 'reflect-metadata';
import { buildSubgraphSchema, type GraphQLResolverMap, printSubgraphSchema } from '@apollo/subgraph';
import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { GraphQLDateTime } from 'graphql-scalars';
import { buildSchema, createResolversMap, type NonEmptyArray } from 'type-graphql';
import { constraintSdl } from '../../schema/constraint.ts';
import { constrainSchema } from './constrain.ts';
import { describeSchema } from './describe.ts';
import { resolveEntities } from './entities.ts';
import { formatError } from './errors.ts';
import { IDEMPOTENT } from './idempotency/idempotent.ts';
import { checkLimits } from './limits.ts';
import { countLists } from './list-size.ts';
import { nestedVariables } from './nested-variables.ts';
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
  /** The mutations that take an `Idempotency-Key`. */
  idempotent: string[];
}

const FEDERATION = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective", "@external", "@inaccessible", "@key", "@listSize", "@shareable"])
${constraintSdl}`;

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
  constrainSchema(schema);
  const sdl = FEDERATION + printSubgraphSchema(schema);
  const map = createResolversMap(schema) as GraphQLResolverMap<unknown>;
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const idempotent = mutations.filter(({ extensions }) => IDEMPOTENT in extensions).map(({ name: field }) => field);
  countLists(schema, map);
  for (const [type, resolve] of Object.entries(references)) {
    // A type without a resolver of its own is not in the map yet.
    map[type] = {
      ...(map[type] as object | undefined),
      __resolveReference: (reference: { id: string }, scope: RequestScope) => resolve(reference, scope),
    };
  }
  return { name, sdl, idempotent, schema: resolveEntities(buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: map }])) };
}

/** A subgraph in this process: no text, no HTTP, each operation compiled once. */
export function inProcess(
  { schema }: Pick<Subgraph, 'schema'>,
  scopeOf: (request: RequestContext) => Promise<RequestScope>,
): Source {
  const compiled = new WeakMap<DocumentNode, CompiledQuery | ExecutionResult>();
  const compile = (document: DocumentNode): CompiledQuery | ExecutionResult => {
    const known = compiled.get(document) ?? compileQuery(schema, document);
    compiled.set(document, known);
    return known;
  };
  const formatted = ({ data, errors }: SourceResult): SourceResult =>
    errors ? { data, errors: errors.map(formatError) } : { data };
  // The scope of a request is made from the database, which may be away.
  const failed = (error: unknown): SourceResult => formatted({ errors: [toGraphQLError(error)] });
  const answered = (result: SourceResult, { budget }: RequestContext): SourceResult =>
    budget?.refusal ? { errors: [budget.refusal.toJSON()] } : formatted(result);

  return {
    async execute({ document, variables, context }) {
      const operation = compile(document);
      // Literals that a scalar refuses are found when the document is compiled.
      if (!isCompiledQuery(operation)) return formatted(operation as SourceResult);
      try {
        const contextValue = await scopeOf(context);
        // The compiler reads an absent variable of an object literal as null, and null clears a field that absence leaves alone.
        const isPartial = nestedVariables(document).some((name) => variables[name] === undefined);
        const answer = isPartial
          ? execute({ schema, document, contextValue, variableValues: variables })
          : operation.query(undefined, contextValue, variables);
        return answered((await answer) as SourceResult, context);
      } catch (error) {
        return failed(error);
      }
    },
    async subscribe({ document, variables, context }) {
      const operation = compile(document);
      if (!isCompiledQuery(operation)) return formatted(operation as SourceResult);
      try {
        const scope = await scopeOf(context);
        const answer = async (event: unknown) =>
          answered((await operation.query(event, scope, variables)) as SourceResult, context);
        const stream = await openStream(schema, document, variables, scope, answer);
        return Symbol.asyncIterator in stream ? stream : formatted(stream);
      } catch (error) {
        return failed(error);
      }
    },
  };
}

function toGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });
}
