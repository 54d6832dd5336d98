import { operationKey, operationSize, SizedCache } from 'compiled-gateway';
import type { DocumentNode, Location } from 'graphql';
import { GraphQLError, visit } from 'graphql';
import type { Check } from './check.ts';
import { readDocument } from './check.ts';
import type { Limits } from './limits.ts';
import type { TrustedDocuments } from './trusted.ts';

/** The part of a request that selects a document: its text, or the id of a trusted document. */
export interface DocumentRequest {
  query?: string | null;
  documentId?: string | null;
  operationName?: string | null;
  extensions?: Readonly<Record<string, unknown>> | null;
}

export interface DocumentOptions {
  check: Check;
  limits: Limits;
  trusted?: TrustedDocuments;
  /** Accept only trusted documents. */
  safelist?: boolean;
}

/** Returns the document of a request. Throws a `GraphQLError` when it is invalid or not allowed. */
export type ReadDocument = (request: DocumentRequest) => DocumentNode;

/** Maximum bytes of cached documents with their plans and compiled functions. */
const budget = 64 * 1024 * 1024;
/** Maximum characters of a cached document and its operation name. Longer ones hold large literals and rarely repeat. */
const longestKept = 32_768;

/**
 * An LRU cache of valid documents. It holds the only strong reference to a document; checks, costs and plans are in weak maps and
 * are collected with it. Each operation of a text gets its own document, so that a document has at most one plan.
 */
export function createDocuments({ check, limits, trusted, safelist = false }: DocumentOptions): ReadDocument {
  const documents = new SizedCache<string, DocumentNode>(budget);

  const readText = (text: string, operationName: string | null | undefined): DocumentNode => {
    const key = operationKey(text, operationName ?? '');
    if (key.length > longestKept) return readDocument(text, limits);
    const known = documents.get(key);
    if (known) return known;
    const document = readDocument(text, limits);
    const { faults, fields } = check(document);
    if (faults.length === 0) documents.set(key, withoutPlaces(document), operationSize(key.length, fields));
    return document;
  };

  return ({ query, documentId, operationName, extensions }) => {
    const id = documentId ?? hashIn(extensions);
    if (query && documentId) throw refusal('CANNOT_SEND_PQ_ID_AND_BODY', 'Send either a query or a documentId');
    if (query) {
      const document = trusted?.byText.get(query);
      if (document) return document;
      if (safelist) throw refusal('QUERY_NOT_IN_SAFELIST', 'Only trusted documents are run here');
      return readText(query, operationName);
    }
    if (id === undefined) throw refusal('BAD_REQUEST', 'Send a query');
    if (!trusted) throw refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    const document = trusted.byId.get(id.replace(/^sha256:/, ''));
    if (!document) throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return document;
  };
}

/** Remove source locations after validation, because each location references all tokens of the text. */
function withoutPlaces(document: DocumentNode): DocumentNode {
  visit(document, {
    enter(node) {
      (node as { loc?: Location }).loc = undefined;
    },
  });
  return document;
}

/** The document hash that Apollo clients send. */
export function hashIn(extensions: DocumentRequest['extensions']): string | undefined {
  const { sha256Hash } = (extensions?.persistedQuery ?? {}) as { sha256Hash?: unknown };
  return typeof sha256Hash === 'string' ? sha256Hash : undefined;
}

const refusal = (code: string, message: string) => new GraphQLError(message, { extensions: { code } });
