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

/** Texts that are kept, and how long they may be together; a document takes some ten times its text. */
const most = { count: 1_000, length: 4_000_000 };

/** Known texts cost a look-up: those that were read last are kept as documents, if they are valid. */
export function createDocuments({ check, limits, trusted, safelist = false }: DocumentOptions): ReadWanted {
  const kept = new Map<string, DocumentNode>();
  let length = 0;

  const keep = (text: string, document: DocumentNode) => {
    kept.set(text, document);
    length += text.length;
    for (const oldest of kept.keys()) {
      if (kept.size <= most.count && length <= most.length) return;
      kept.delete(oldest);
      length -= oldest.length;
    }
  };

  const readText = (text: string): DocumentNode => {
    const known = kept.get(text);
    if (known) {
      kept.delete(text);
      kept.set(text, known);
      return known;
    }
    const document = readDocument(text, limits);
    if (check(document).length === 0) keep(text, withoutPlaces(document));
    return document;
  };

  return ({ query, documentId, extensions }) => {
    const id = documentId ?? hashIn(extensions);
    if (query && documentId) throw refusal('CANNOT_SEND_PQ_ID_AND_BODY', 'Send either a query or a documentId');
    if (query) {
      const document = trusted?.byText.get(query);
      if (document) return document;
      if (safelist) throw refusal('QUERY_NOT_IN_SAFELIST', 'Only trusted documents are run here');
      return readText(query);
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
