import { createHash } from 'node:crypto';
import { type DocumentNode, parse } from 'graphql';

/** The document hash that Apollo clients send. */
export function hashIn(extensions: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  const { sha256Hash } = (extensions?.persistedQuery ?? {}) as { sha256Hash?: unknown };
  return typeof sha256Hash === 'string' ? sha256Hash : undefined;
}

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
export interface TrustedDocuments {
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
