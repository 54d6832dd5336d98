import type { RequestContext, Source, SourceRequest, SourceResult } from 'compiled-gateway';
import 'reflect-metadata';
import { buildSubgraphSchema, type GraphQLResolverMap, printSubgraphSchema } from '@apollo/subgraph';
import { type EventStream, mapStream } from 'compiled-gateway/event-stream';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isInterfaceType,
  Kind,
  parse,
  visit,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { GraphQLDateTime } from 'graphql-scalars';
import { buildSchema, createResolversMap, type NonEmptyArray } from 'type-graphql';
import { accessSdl, constraintSdl, semanticNonNullSdl } from '../../schema/directives.ts';
import { onBehalfOf } from '../database/index.ts';
import { checkLimits } from '../fields/index.ts';
import { IDEMPOTENT } from '../idempotency/index.ts';
import { gatekeeper, type Level } from '../identity/index.ts';
import { countLists } from '../lists/index.ts';
import { type RequestScope, requireUnbound } from '../scope/index.ts';
import { constrainSchema, describeSchema, limitSubscriptions } from './describe.ts';
import { formatError } from './error-format.ts';
import { declareArguments, orderFields, readPlainFields, replaceHandlers } from './patches/type-graphql.ts';

/** The parts of a subgraph: its name in the graph, its resolvers in the order of their fields, and its reference resolvers. */
export interface SubgraphParts {
  name: string;
  // biome-ignore lint/complexity/noBannedTypes: type-graphql's own type for resolver classes
  resolvers: NonEmptyArray<Function>;
  /** Reference resolvers by type name. */
  references: Record<string, (reference: { id: string }, scope: RequestScope) => unknown>;
  /** Whether the subgraph restricts keys that are bound to a workspace to its content. Other subgraphs refuse such keys. */
  hasWorkspaces?: boolean;
}

export interface Subgraph {
  name: string;
  schema: GraphQLSchema;
  sdl: string;
  /** The mutations that take an `Idempotency-Key`. */
  idempotent: string[];
}

const FEDERATION = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective", "@external", "@inaccessible", "@key", "@listSize", "@shareable"])
${constraintSdl}
${accessSdl}
${semanticNonNullSdl}`;

/** Streams read from tables, so nothing is published in memory, but type-graphql requires a pub/sub. */
const noPubSub = {
  publish: () => {},
  subscribe: () => {
    throw new Error('subscriptions name their own source');
  },
};

const built = new WeakMap<SubgraphParts, Promise<Subgraph>>();

/** Build the schema of a subgraph, once per process. It holds no state, so gateways may share it. */
export function buildSubgraph(parts: SubgraphParts): Promise<Subgraph> {
  const subgraph = built.get(parts) ?? build(parts);
  built.set(parts, subgraph);
  return subgraph;
}

async function build({ name, resolvers, references, hasWorkspaces = false }: SubgraphParts): Promise<Subgraph> {
  declareArguments();
  readPlainFields();
  orderFields(resolvers);
  const authorize = gatekeeper(hasWorkspaces);
  const schema = await buildSchema({
    resolvers,
    validateFn: checkLimits,
    authChecker: ({ context }, levels: Level[]) => authorize(context as RequestScope, levels),
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
  replaceHandlers(map, resolvers, authorize);
  countLists(schema, map);
  limitSubscriptions(map);
  for (const [type, resolve] of Object.entries(references)) {
    // The map has no entry for a type without field resolvers.
    map[type] = {
      ...(map[type] as object | undefined),
      __resolveReference: (reference: { id: string }, scope: RequestScope) => {
        if (!hasWorkspaces) requireUnbound(scope);
        return resolve(reference, scope);
      },
    };
  }
  return { name, sdl, idempotent, schema: buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: withEntities(map) }]) };
}

/** Runs a subgraph in this process, without HTTP or serialization. Compiles each operation once. */
export function inProcess(
  { schema }: Pick<Subgraph, 'schema'>,
  scopeOf: (request: RequestContext) => Promise<RequestScope>,
): Source {
  const compiled = new WeakMap<DocumentNode, CompiledQuery | ExecutionResult>();
  const compile = (document: DocumentNode): CompiledQuery | ExecutionResult => {
    const operation = compiled.get(document) ?? compileQuery(schema, document);
    compiled.set(document, operation);
    return operation;
  };
  const format = ({ data, errors }: SourceResult): SourceResult => (errors ? { data, errors: errors.map(formatError) } : { data });
  // Creating the scope reads the database, which may be down.
  const toFailure = (error: unknown): SourceResult => format({ errors: [toGraphQLError(error)] });
  const respond = (result: SourceResult, { budget }: RequestContext): SourceResult =>
    budget?.refusal ? { errors: [budget.refusal.toJSON()] } : format(result);

  return {
    async execute({ document, variables, context }) {
      const operation = compile(document);
      // Compilation reports literals that a scalar rejects.
      if (!isCompiledQuery(operation)) return format(operation as SourceResult);
      try {
        const contextValue = await scopeOf(context);
        // graphql-jit reads an absent variable inside an object literal as null, which would clear the field.
        const isPartial = nestedVariables(document).some((name) => variables[name] === undefined);
        const answer = onBehalfOf(ownerOf(contextValue), () =>
          isPartial
            ? execute({ schema, document, contextValue, variableValues: variables })
            : operation.query(undefined, contextValue, variables),
        );
        return respond((await answer) as SourceResult, context);
      } catch (error) {
        return toFailure(error);
      }
    },
    async subscribe({ document, variables, context }) {
      const operation = compile(document);
      if (!isCompiledQuery(operation)) return format(operation as SourceResult);
      try {
        const scope = await scopeOf(context);
        const answer = async (event: unknown) => {
          context.budget?.restart();
          const result = await onBehalfOf(ownerOf(scope), () => operation.query(event, scope, variables));
          return respond(result as SourceResult, context);
        };
        const stream = await onBehalfOf(ownerOf(scope), () => openStream(schema, document, variables, scope, answer));
        return Symbol.asyncIterator in stream ? stream : format(stream);
      } catch (error) {
        return toFailure(error);
      }
    },
  };
}

/** The organization of a request; for callers without one, what the gateway says. */
const ownerOf = ({ selected, request }: RequestScope): string | undefined =>
  selected instanceof Error ? request.owner : selected.id;

function toGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });
}

const cache = new WeakMap<DocumentNode, readonly string[]>();

/** The variables of a document inside object literals: `input: { brand: $brand }`. */
function nestedVariables(document: DocumentNode): readonly string[] {
  const cached = cache.get(document);
  if (cached) return cached;
  const names = new Set<string>();
  visit(document, {
    ObjectField: ({ value }) => {
      if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  cache.set(document, [...names]);
  return [...names];
}

/** Runs the selection of a subscription on one of its events. */
type ExecuteSelection = (event: unknown) => SourceResult | Promise<SourceResult>;

/** Open a subscription: a stream of results, or one result with errors. The stream ends with an error when the caller loses access. */
async function openStream(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: SourceRequest['variables'],
  scope: RequestScope,
  answer: ExecuteSelection,
): Promise<EventStream<SourceResult> | SourceResult> {
  const events = await createSourceEventStream({ schema, document, contextValue: scope, variableValues: variables });
  if (!(Symbol.asyncIterator in events)) return events as SourceResult;
  const stream = mapStream<unknown, SourceResult>(events as AsyncIterable<unknown>, { map: answer });
  stream.onEnd(scope.services.streamAccess.watch(scope, (refusal) => stream.end({ errors: [refusal.toJSON()] })));
  return stream;
}

type Reference = { readonly __typename: string } & Record<string, unknown>;
type Resolve = (reference: Reference, context: unknown, info: GraphQLResolveInfo) => unknown;

/**
 * The resolver map with a resolver of `_entities`. That of Apollo wraps every entity in a promise and dominates the cost of large fetches.
 * A failing reference does not affect the others.
 */
export function withEntities(resolvers: GraphQLResolverMap<unknown>): GraphQLResolverMap<unknown> {
  const types = resolvers as Record<string, { __resolveReference?: Resolve } | undefined>;
  const resolveReference = (reference: Reference, context: unknown, info: GraphQLResolveInfo): unknown => {
    const resolve = types[reference.__typename]?.__resolveReference;
    if (!resolve) return reference;
    try {
      const entity = resolve(reference, context, info);
      // The entity of an interface names its own type.
      if (isInterfaceType(info.schema.getType(reference.__typename))) return entity;
      return entity instanceof Promise ? entity.then((each) => withTypename(each, reference)) : withTypename(entity, reference);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const _entities = (
    _root: unknown,
    { representations }: { representations: readonly Reference[] },
    context: unknown,
    info: GraphQLResolveInfo,
  ) => representations.map((reference) => resolveReference(reference, context, info));
  return { ...resolvers, Query: { ...(resolvers.Query as object | undefined), _entities } } as GraphQLResolverMap<unknown>;
}

/** Set `__typename`, by which the `_Entity` union resolves the type of an entity. */
function withTypename(entity: unknown, { __typename }: Reference): unknown {
  if (typeof entity !== 'object' || entity === null) return entity;
  const known = entity as { __typename?: unknown };
  if (known.__typename === __typename) return entity;
  if (known.__typename !== undefined || !Object.isExtensible(entity)) return { ...entity, __typename };
  known.__typename = __typename;
  return entity;
}
