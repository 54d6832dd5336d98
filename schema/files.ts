import type { RequestContext } from 'compiled-gateway';

/** An uploaded file, as its sender declares it. */
export interface IncomingFile {
  name: string;
  /** The declared MIME type. */
  type: string;
  /** Size of the content. */
  bytes: number;
  content: AsyncIterable<Uint8Array>;
}

/**
 * Stores the content of uploads; the graph itself only sees their ids. A stored file belongs to the organization of the request and
 * is a draft until a mutation uses it.
 */
export interface FileStore {
  /** Store a file and return its id. Stores nothing when it throws. */
  keep(file: IncomingFile, context: RequestContext): Promise<string>;
  /** Delete drafts that no mutation used. */
  discard(ids: readonly string[], context: RequestContext): Promise<void>;
}
