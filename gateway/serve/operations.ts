import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
  OperationTypeNode as Kind,
  type OperationTypeNode,
} from 'graphql';
import { SizedCache } from '../cache.ts';
import { type Gateway, operationKey, operationSize } from '../compiled-gateway.ts';
import { type Cost, costOf } from '../documents/cost.ts';
import { createCheck, Faults, readDocument } from '../documents/document-check.ts';
import type { Limits } from '../documents/document-limits.ts';
import { hashIn, hashOf, type Manifest, trustDocuments } from '../documents/manifest.ts';
import { fail, isVerbatim } from '../gateway-error.ts';
import type { Present } from '../graphql-over-http.ts';
import type { Operation } from '../source-contract.ts';
import type { Plugin } from './plugin.ts';
import type { Configuration } from './server-configuration.ts';

/** The part of a request that selects an operation. */
export interface OperationRequest {
  query?: string;
  operationName?: string;
  extensions?: Readonly<Record<string, unknown>>;
  documentId?: string;
}

/** A valid operation of a caller. */
export interface KnownOperation {
  readonly kind: OperationTypeNode;
  readonly document: DocumentNode;
  readonly cost: Cost;
  /** Plans at the first call. */
  plan(): Operation;
}

/** Returns the operation of a request. Throws a `GraphQLError`, or `Faults` when the document is invalid. */
export type FindOperation = (request: OperationRequest) => KnownOperation;

interface OperationOptions {
  documents: Configuration['documents'];
  limits: Limits;
  introspection: boolean;
  manifests: readonly Manifest[];
  plugins: readonly Plugin[];
  /** Texts by hash, of automatic persisted queries. */
  persisted: SizedCache<string, string>;
}

/** Bytes of operations with their plans, and of persisted texts. */
const BUDGET = 64 * 1024 * 1024;
const PERSISTED_BUDGET = 16 * 1024 * 1024;
/** Characters of a kept document. Longer ones hold large literals and rarely repeat. */
const LONGEST_KEPT = 32_768;

/** Automatic persisted queries stay known when the supergraph is replaced. */
export const createPersisted = (): SizedCache<string, string> => new SizedCache(PERSISTED_BUDGET);

/** Create the search of operations of one supergraph. Throws when a trusted document does not fit it. */
export function createOperations(gateway: Gateway, options: OperationOptions): FindOperation {
  const { documents, limits, introspection, manifests, plugins, persisted } = options;
  const check = createCheck(gateway.schema, { introspection, hideSuggestions: !introspection, limits });
  const operations = new SizedCache<string, KnownOperation>(BUDGET);

  const accept = (document: DocumentNode, operationName: string | undefined): KnownOperation => {
    const { faults } = check(document);
    if (faults.length > 0) throw new Faults(faults);
    const definition = getOperationAST(document, operationName);
    if (!definition) {
      const message = operationName
        ? `The document has no operation "${operationName}"`
        : 'operationName must select one of the operations';
      throw refusal('OPERATION_RESOLUTION_FAILURE', message);
    }
    let operation: Operation | undefined;
    return {
      kind: definition.operation,
      document,
      cost: costOf(document, definition, gateway, limits.listSize),
      plan() {
        if (!operation) {
          for (const plugin of plugins) plugin.onPlan?.({ document, kind: definition.operation, operationName });
          operation = gateway.prepare(document, { operationName });
        }
        return operation;
      },
    };
  };
  const trusted = trustDocuments(manifests, (document) => void accept(document, undefined).plan());

  const find = (document: DocumentNode | undefined, text: string, operationName = ''): KnownOperation => {
    const key = operationKey(text, operationName);
    const known = operations.get(key);
    if (known) return known;
    const operation = accept(document ?? readDocument(text, limits), operationName || undefined);
    const { fields } = check(operation.document);
    if (key.length <= LONGEST_KEPT) operations.set(key, operation, operationSize(key.length, fields));
    return operation;
  };

  return ({ query, operationName, extensions, documentId }) => {
    const hash = documentId?.replace(/^sha256:/, '') ?? hashIn(extensions);
    if (query) {
      if (hash !== undefined && hash !== hashOf(query)) throw refusal('BAD_REQUEST', 'The hash is not that of the query');
      const document = trusted.byText.get(query);
      if (!document && documents.safelist) throw refusal('QUERY_NOT_IN_SAFELIST', 'Only trusted documents are run here');
      const operation = find(document, query, operationName);
      if (hash !== undefined && documents.automatic && query.length <= LONGEST_KEPT)
        persisted.set(hash, query, 2 * query.length + 200);
      return operation;
    }
    if (hash === undefined) throw refusal('BAD_REQUEST', 'The request must have a query');
    const document = trusted.byId.get(hash);
    if (document) return find(document, `id ${hash}`, operationName);
    if (!documents.automatic || documents.safelist) throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    const text = persisted.get(hash);
    if (text === undefined) throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return find(undefined, text, operationName);
  };
}

/** Throws when an operation costs too much. */
export function checkCost({ cost }: KnownOperation, variables: Readonly<Record<string, unknown>>, limit: number): void {
  const requested = cost(variables);
  if (requested > limit) {
    throw fail(
      'INVALID_INPUT',
      `The operation costs ${requested}, more than the maximum of ${limit}: request fewer fields or shorter lists`,
    );
  }
}

export const isSubscription = ({ kind }: KnownOperation): boolean => kind === Kind.SUBSCRIPTION;
export const isQueryOperation = ({ kind }: KnownOperation): boolean => kind === Kind.QUERY;

export const refusal = (code: string, message: string): GraphQLError => new GraphQLError(message, { extensions: { code } });

/** Convert a thrown value to errors of a response. Unknown ones are masked, and logged with an id. */
export function errorsOf(thrown: unknown, log: FastifyBaseLogger): readonly GraphQLFormattedError[] {
  if (thrown instanceof Faults) return thrown.errors.map((error) => error.toJSON());
  if (thrown instanceof GraphQLError) {
    if (thrown.originalError) log.warn({ err: thrown.originalError }, thrown.message);
    return [thrown.toJSON()];
  }
  const id = randomUUID();
  log.error({ err: thrown, id }, 'An operation failed');
  return [{ message: 'Internal Server Error', extensions: { code: 'INTERNAL_SERVER_ERROR', id } }];
}

/** Errors of subgraphs are masked at their source, so only those without a code change here. */
export const present: Present = (error) => {
  const { message, path, locations, extensions = {} } = error instanceof GraphQLError ? error.toJSON() : error;
  if (isVerbatim(extensions)) return error;
  const code = typeof extensions.code === 'string' ? extensions.code : 'INTERNAL_SERVER_ERROR';
  return { message, ...(locations && { locations }), ...(path && { path }), extensions: { ...extensions, code } };
};

const statuses: Record<string, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

/** The HTTP status of an error that prevented an operation. */
export const statusOf = ({ extensions }: GraphQLFormattedError): number => statuses[String(extensions?.code)] ?? 400;
