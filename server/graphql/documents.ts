import { readFile } from 'node:fs/promises';
import { operationKey, operationSize, SizedCache } from 'compiled-gateway';
import {
  type Check,
  hashIn,
  type Limits,
  type Manifest,
  readDocument,
  readManifest,
  type TrustedDocuments,
} from 'compiled-gateway/graphql-over-http';
import { type DocumentNode, GraphQLError, type GraphQLSchema, type Location, visit } from 'graphql';
import { ConfigurationError } from '../../schema/environment.ts';
import { fail, type RequestErrorCode } from '../../schema/errors.ts';
import { leastNeed } from './accepted-operation.ts';
import type { Meter } from './allowance.ts';

/** The part of a request that selects a document: its text, or the id of a trusted document. */
export interface DocumentRequest {
  query?: string | null;
  documentId?: string | null;
  operationName?: string | null;
  extensions?: Readonly<Record<string, unknown>> | null;
}

interface DocumentOptions {
  /** The API schema. */
  schema: GraphQLSchema;
  check: Check;
  limits: Limits;
  trusted?: TrustedDocuments;
  /** Prepared documents of the product's own pages, by text. */
  own?: ReadonlyMap<string, DocumentNode>;
  /** Accept only trusted and own documents. */
  safelist?: boolean;
}

/**
 * Returns the document of a request. Throws a `GraphQLError` when it is invalid or not allowed.
 * @param meter that of the caller; one without a key gets no document whose fields all need one
 */
export type ReadDocument = (request: DocumentRequest, meter?: Meter) => DocumentNode;

/** Maximum bytes of cached documents with their plans and compiled functions. */
const budget = 64 * 1024 * 1024;
/** Maximum characters of a cached document and its operation name. Longer ones hold large literals and rarely repeat. */
const longestKept = 32_768;

/**
 * An LRU cache of valid documents. It holds the only strong reference to a document; checks, costs and plans are in weak maps and
 * are collected with it. Each operation of a text gets its own document, so that a document has at most one plan.
 */
export function createDocuments({ schema, check, limits, trusted, own, safelist = false }: DocumentOptions): ReadDocument {
  const documents = new SizedCache<string, DocumentNode>(budget);

  const allowed = (document: DocumentNode, { operationName }: DocumentRequest, meter: Meter | undefined): DocumentNode => {
    if (meter?.isAnonymous && leastNeed(document, operationName, schema) !== 'nothing')
      throw fail('MISSING_KEY', 'Missing API Key');
    return document;
  };

  const readText = (text: string, request: DocumentRequest, meter: Meter | undefined): DocumentNode => {
    const key = operationKey(text, request.operationName ?? '');
    const known = documents.get(key);
    if (known) return allowed(known, request, meter);
    const read = () => {
      const document = allowed(readDocument(text, limits), request, meter);
      const { faults, fields } = check(document);
      const isKept = key.length <= longestKept && faults.length === 0;
      if (isKept) documents.set(key, withoutPlaces(document), operationSize(key.length, fields));
      return document;
    };
    return meter ? meter.spend(read) : read();
  };

  return (request, meter) => {
    const { query, documentId, extensions } = request;
    if (query && documentId) throw refusal('CANNOT_SEND_PQ_ID_AND_BODY', 'Send either a query or a documentId');
    if (query) {
      const document = trusted?.byText.get(query) ?? own?.get(query);
      if (document) return allowed(document, request, meter);
      if (safelist) throw refusal('QUERY_NOT_IN_SAFELIST', 'Only trusted documents are run here');
      return readText(query, request, meter);
    }
    const id = documentId ?? hashIn(extensions);
    if (id === undefined) throw refusal('BAD_REQUEST', 'The request must have a query');
    if (!trusted) throw refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    const document = trusted.byId.get(id.replace(/^sha256:/, ''));
    if (!document) throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return allowed(document, request, meter);
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

const refusal = (code: RequestErrorCode, message: string) => new GraphQLError(message, { extensions: { code } });

/** Read the manifests of trusted documents. Throws one `ConfigurationError` with all invalid files. */
export async function readManifests(files: readonly string[]): Promise<Manifest[]> {
  const faults: string[] = [];
  const read = async (file: string) => {
    try {
      return [readManifest(await readFile(file, 'utf8'))];
    } catch (error) {
      faults.push(`TRUSTED_DOCUMENTS: ${file}: ${(error as Error).message}`);
      return [];
    }
  };
  const manifests = (await Promise.all(files.map(read))).flat();
  if (faults.length > 0) throw new ConfigurationError(faults);
  return manifests;
}
