import { operationSize, SizedCache } from 'compiled-gateway';
import type { DocumentNode, Location } from 'graphql';
import { GraphQLError, visit } from 'graphql';
import type { Check } from './check.ts';
import { readDocument } from './check.ts';
import type { Limits } from './limits.ts';
import type { Trusted } from './trusted.ts';

/** How a request says what it wants done: by a text, or by the id of a trusted document. */
export interface Wanted {
  query?: string | null;
  documentId?: string | null;
  operationName?: string | null;
  extensions?: Readonly<Record<string, unknown>> | null;
}

export interface DocumentOptions {
  check: Check;
  limits: Limits;
  trusted?: Trusted;
  /** Only trusted documents are read. */
  safelist?: boolean;
}

/** The document that a request wants. Throws why it cannot have it. */
export type ReadWanted = (wanted: Wanted) => DocumentNode;

/** Bytes that documents may take with everything that hangs on them: their plans and compiled functions. */
const budget = 64 * 1024 * 1024;
/** Characters of a document that is kept. A longer one holds large literals, so it hardly comes twice. */
const longestKept = 32_768;

/**
 * Keeps valid documents that were read last, within a budget. The cache holds the only strong reference to a document: checks,
 * costs and plans hang on it by weak references and go with it. Each operation of a text has a document of its own, so that the
 * plans of one document are never more than one.
 */
export function createDocuments({ check, limits, trusted, safelist = false }: DocumentOptions): ReadWanted {
  const documents = new SizedCache<string, DocumentNode>(budget);

  const readText = (text: string, operationName: string | null | undefined): DocumentNode => {
    if (text.length > longestKept) return readDocument(text, limits);
    const key = `${operationName ?? ''}\n${text}`;
    const known = documents.get(key);
    if (known) return known;
    const document = readDocument(text, limits);
    const { faults, fields } = check(document);
    if (faults.length === 0) documents.set(key, withoutPlaces(document), operationSize(text.length, fields));
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

/** Places are for the errors of validation; each holds on to every token of the text. */
function withoutPlaces(document: DocumentNode): DocumentNode {
  visit(document, {
    enter(node) {
      (node as { loc?: Location }).loc = undefined;
    },
  });
  return document;
}

/** As Apollo's clients name a document. */
function hashIn(extensions: Wanted['extensions']): string | undefined {
  const { sha256Hash } = (extensions?.persistedQuery ?? {}) as { sha256Hash?: unknown };
  return typeof sha256Hash === 'string' ? sha256Hash : undefined;
}

const refusal = (code: string, message: string) => new GraphQLError(message, { extensions: { code } });
