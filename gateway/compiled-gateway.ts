import type { Schema } from '@apollo/federation-internals';
import { buildASTSchema, type DefinitionNode, type DocumentNode, type GraphQLSchema, parse, print } from 'graphql';
import { SizedCache } from './cache.ts';
import type { EventStream } from './event-stream.ts';
import type { Graph } from './plan/compiled-operation.ts';
import { compileOperation } from './plan/compiled-operation.ts';
import type { CompiledOperation } from './plan/context.ts';
import { numberedFields } from './plan/subscription.ts';
import type { InputLimits } from './plan/variable-limits.ts';
import type { Scalars } from './plan/variables.ts';
import { createPlanner } from './planner/planner.ts';
import { countFields } from './selection.ts';
import type { Answer, Operation, Prepare, PrepareOptions, Source } from './source-contract.ts';
import { type InFlight, invalidatingWrites } from './sources/in-flight.ts';
import { accessRulesOf } from './supergraph/access-rules.ts';
import { apiOf, buildSupergraph, type ListSizes, listSizesOf } from './supergraph/contents.ts';
import { type Observer, observedOperation, observedSources } from './telemetry/observer.ts';
import type { UsageCollector } from './usage/collector.ts';
import { SentInputs } from './usage/collector.ts';

export interface GatewayOptions {
  /** The composed supergraph, as SDL. */
  supergraph: string;
  /** One source for each subgraph, by its name in the supergraph. */
  sources: Record<string, Source>;
  /** Deduplicates equal in-flight queries. A mutation seals it, so that later reads do not join earlier ones. */
  inFlight?: InFlight;
  /** Names of the type, field and argument directives that the API schema retains; none by default. */
  apiDirectives?: readonly string[];
  /** Names of subgraphs whose errors reach callers unmasked. The server masks unknown codes of all others. */
  verbatim?: Iterable<string>;
  /** Scalars that validate variables, by name. A custom scalar without an entry accepts any JSON. */
  scalars?: Scalars;
  /** Input limits of the subgraphs. The gateway reports them together with type errors in the same input. */
  limits?: InputLimits;
  /** Refuse an operation with a field that the caller may not select. By default the field is null, with an error. */
  rejectUnauthorized?: boolean;
  /** Receives the cause of each subgraph failure, for the log. Callers see only `UNAVAILABLE`. */
  onFault?: (subgraph: string, error: unknown) => void;
  /** Wraps every operation and subgraph request, for metrics and traces. */
  observer?: Observer;
  /** Counts the operations, for statistics and for checks of schema changes. */
  usage?: UsageCollector;
  /** Called with each subscription stream that opens, and the subgraphs that its events use. */
  onStream?: (stream: EventStream<Answer>, subgraphs: ReadonlySet<string>) => void;
}

export type { ListSizes } from './supergraph/contents.ts';

export interface Gateway {
  /** SDL of the supergraph. */
  readonly supergraph: string;
  /** The API schema, for validation, introspection and documentation. */
  readonly schema: GraphQLSchema;
  /** List sizes that the subgraphs declare with `@listSize`. */
  readonly listSizes: ListSizes;
  /** Plan and compile an operation of a valid document, without the cache. */
  readonly prepare: Prepare;
  /** Like `prepare`, but cached by document text and operation name. */
  operation(document: DocumentNode, operationName?: string): Operation;
  /**
   * Compute a value from the gateway. A live gateway computes it again for each new supergraph. If `make` throws, the gateway keeps
   * the old supergraph.
   */
  derive<T>(make: (gateway: Gateway) => T): () => T;
  /** Close the sources. */
  close(): Promise<void>;
}

/** Create a gateway for a composed supergraph. Throws when a subgraph has no source. */
export function createGateway(options: GatewayOptions): Gateway {
  const {
    supergraph: sdl,
    inFlight,
    apiDirectives = [],
    verbatim = [],
    scalars = {},
    limits,
    rejectUnauthorized = false,
    onFault,
    observer,
    usage,
    onStream,
    ...given
  } = options;
  const sources = inFlight ? invalidatingWrites(given.sources, inFlight) : given.sources;
  const supergraph = buildSupergraph(sdl);
  const missing = supergraph.subgraphsMetadata().filter(({ name }) => !Object.hasOwn(sources, name));
  if (missing.length > 0) throw new Error(`No source for ${missing.map(({ name }) => name).join(', ')}`);

  const schema = executableSchema(apiOf(supergraph, apiDirectives), defer);
  const planner = createPlanner(sdl, schema);
  const graph: Graph = {
    schema,
    supergraph: executableSchema(supergraph.schema),
    planner,
    keysOf: planner.keysOf,
    sources: observer ? observedSources(sources, observer) : sources,
    scalars,
    limits,
    accessRules: accessRulesOf(supergraph.schema),
    rejectUnauthorized,
    numbered: numberedFields(planner.subgraphs),
    verbatim: new Set(verbatim),
    onStream,
    onFault,
  };
  const prepare: Prepare = (document, how = {}) => {
    const operation = usage ? countedOperation(document, how, graph, usage) : compileOperation(document, how, graph);
    return observer ? observedOperation(operation, document, how, observer) : operation;
  };

  const gateway: Gateway = {
    supergraph: sdl,
    schema: graph.schema,
    listSizes: listSizesOf(supergraph),
    prepare,
    operation: cacheOperations(prepare),
    derive(make) {
      const value = make(gateway);
      return () => value;
    },
    async close() {
      await Promise.all(Object.values(sources).map((source) => source.close?.()));
    },
  };
  return gateway;
}

function countedOperation(document: DocumentNode, how: PrepareOptions, graph: Graph, usage: UsageCollector): CompiledOperation {
  const sent = new SentInputs();
  const operation = compileOperation(document, { ...how, sent }, graph);
  return usage.count(operation, sent, { ...how, document, schema: graph.schema });
}

/** Like Apollo's `toGraphQLJSSchema`, without its second validation, which takes 50 ms for a large schema. */
function executableSchema(schema: Schema, added: readonly DefinitionNode[] = []): GraphQLSchema {
  const document = schema.toAST();
  return buildASTSchema({ ...document, definitions: [...document.definitions, ...added] }, { assumeValidSDL: true });
}

const defer = parse(
  `"Send the fields of the fragment after the rest of the response, to clients that accept a response in parts."
  directive @defer("Whether to defer the fragment." if: Boolean! = true "Names the part; unique in the document." label: String)
  on FRAGMENT_SPREAD | INLINE_FRAGMENT`,
  { noLocation: true },
).definitions;

type Find = (document: DocumentNode, operationName?: string) => Operation;

/** Maximum size of the cache, in bytes. */
const budget = 64 * 1024 * 1024;

/**
 * Estimated bytes of an operation with its plan and compiled functions. Measured: a small operation takes 70 kB, each further field
 * up to 4 kB, and a literal several copies of its text.
 */
export const operationSize = (characters: number, fields: number): number => 65_536 + 4_096 * fields + 8 * characters;

/** A cache key of a text and the name of one of its operations. The length separates them, because a caller may send any name. */
export const operationKey = (text: string, operationName: string): string => `${operationName.length} ${operationName}${text}`;

/** An LRU cache of operations by text and name. A document is printed once, so callers that reuse it skip printing. */
function cacheOperations(prepare: Prepare): Find {
  const texts = new WeakMap<DocumentNode, string>();
  const operations = new SizedCache<string, Operation>(budget);

  return (document, operationName = '') => {
    let text = texts.get(document);
    if (text === undefined) {
      text = print(document);
      texts.set(document, text);
    }
    const key = operationKey(text, operationName);
    const known = operations.get(key);
    if (known) return known;
    const operation = prepare(document, { operationName: operationName || undefined });
    operations.set(key, operation, operationSize(text.length, countFields(document)));
    return operation;
  };
}
