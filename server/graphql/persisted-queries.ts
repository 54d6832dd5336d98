import { SizedCache } from 'compiled-gateway';
import { type DocumentNode, GraphQLError } from 'graphql';
import type { Meter } from './allowance.ts';
import { type DocumentRequest, hashIn, type ReadDocument } from './documents.ts';

/** Maximum bytes of the queries that callers have registered. */
const BUDGET = 16 * 1024 * 1024;

/** Automatic persisted queries: the store of Apollo Server, and the documents of requests that contain only a hash. */
export class PersistedQueries {
  readonly #texts = new SizedCache<string, string>(BUDGET);

  constructor(private readonly readDocument: ReadDocument) {}

  /** Trusted documents take precedence. Throws `PERSISTED_QUERY_NOT_FOUND` for an unknown hash. */
  read(request: DocumentRequest, meter?: Meter): DocumentNode {
    try {
      return this.readDocument(request, meter);
    } catch (error) {
      const hash = hashIn(request.extensions);
      if (request.query || request.documentId || hash === undefined || !isUnknown(error)) throw error;
      const query = this.#texts.get(keyOf(hash));
      if (query === undefined)
        throw new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });
      return this.readDocument({ query, operationName: request.operationName }, meter);
    }
  }

  /** Whether the request contains only the hash of a registered query. */
  has({ query, extensions }: DocumentRequest): boolean {
    return !query && this.#texts.get(keyOf(hashIn(extensions) ?? '')) !== undefined;
  }

  async get(key: string): Promise<string | undefined> {
    return this.#texts.get(key);
  }

  async set(key: string, text: string): Promise<void> {
    this.#texts.set(key, text, 2 * text.length);
  }

  async delete(key: string): Promise<void> {
    this.#texts.delete(key);
  }
}

/** The key that Apollo Server uses for a hash. */
const keyOf = (hash: string) => `apq:${hash}`;

const unknownCodes = new Set<unknown>(['PERSISTED_QUERY_NOT_SUPPORTED', 'PERSISTED_QUERY_NOT_FOUND']);
const isUnknown = (error: unknown) => error instanceof GraphQLError && unknownCodes.has(error.extensions.code);
