import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { operationKey, operationSize, SizedCache } from 'compiled-gateway';
import { type DocumentNode, GraphQLError, type GraphQLSchema, type Location, parse, visit } from 'graphql';
import { ConfigurationError } from '../../schema/environment.ts';
import { fail, type RequestErrorCode } from '../../schema/errors.ts';
import { leastNeed } from './accepted-operation.ts';
import type { Meter } from './allowance.ts';
import { type Check, readDocument } from './document-check.ts';
import type { Limits } from './document-limits.ts';

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
 * @param meter that of a caller without a key, who gets no document whose fields all need one
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
    if (meter && leastNeed(document, operationName, schema) !== 'nothing') throw fail('MISSING_KEY', 'Missing API Key');
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
    const id = documentId ?? hashIn(extensions);
    if (query && documentId) throw refusal('CANNOT_SEND_PQ_ID_AND_BODY', 'Send either a query or a documentId');
    if (query) {
      const document = trusted?.byText.get(query) ?? own?.get(query);
      if (document) return allowed(document, request, meter);
      if (safelist) throw refusal('QUERY_NOT_IN_SAFELIST', 'Only trusted documents are run here');
      return readText(query, request, meter);
    }
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

/** The document hash that Apollo clients send. */
export function hashIn(extensions: DocumentRequest['extensions']): string | undefined {
  const { sha256Hash } = (extensions?.persistedQuery ?? {}) as { sha256Hash?: unknown };
  return typeof sha256Hash === 'string' ? sha256Hash : undefined;
}

const refusal = (code: RequestErrorCode, message: string) => new GraphQLError(message, { extensions: { code } });

/** One operation of a manifest, in the format of Apollo's tools. */
export interface ManifestOperation {
  id: string;
  name: string;
  type: 'query' | 'mutation' | 'subscription';
  body: string;
}

/** A manifest of trusted operations: `{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [...]}`. */
export interface Manifest {
  format: 'apollo-persisted-query-manifest';
  version: 1;
  operations: readonly ManifestOperation[];
}

/** Trusted documents by id or hash, and by exact text. */
interface TrustedDocuments {
  byId: ReadonlyMap<string, DocumentNode>;
  byText: ReadonlyMap<string, DocumentNode>;
}

/**
 * Parse the operations of manifests.
 * @param prepare called with each document; its errors are rethrown with the name of the operation
 */
export function trustDocuments(manifests: readonly Manifest[], prepare: (document: DocumentNode) => void): TrustedDocuments {
  const byId = new Map<string, DocumentNode>();
  const byText = new Map<string, DocumentNode>();
  for (const { id, name, body } of manifests.flatMap(({ operations }) => operations)) {
    try {
      const document = byText.get(body) ?? parse(body, { noLocation: true });
      if (!byText.has(body)) prepare(document);
      const other = byId.get(id);
      if (other && other !== document) throw new Error(`another operation has the id ${id}`);
      byText.set(body, document);
      byId.set(id, document).set(hashOf(body), document);
    } catch (error) {
      throw new Error(`The trusted operation ${name}: ${(error as Error).message}`, { cause: error });
    }
  }
  return { byId, byText };
}

/** Parse and validate a manifest. The error message is a predicate. */
export function readManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  const { format, version, operations } = manifest;
  if (format !== 'apollo-persisted-query-manifest' || version !== 1 || !Array.isArray(operations)) {
    throw new Error('is not a manifest of the format apollo-persisted-query-manifest, version 1');
  }
  const wrong = operations.findIndex(({ id, name, body }) => [id, name, body].some((part) => typeof part !== 'string'));
  if (wrong !== -1) throw new Error(`lacks the id, name or body of operation ${wrong + 1}`);
  return manifest;
}

/** The SHA-256 hash by which Apollo clients identify a document. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

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
