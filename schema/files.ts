import type { RequestContext } from 'compiled-gateway';

/** A file as its sender declares it. */
export interface IncomingFile {
  name: string;
  /** The declared MIME type. */
  type: string;
  /** Of the content. */
  bytes: number;
  content: AsyncIterable<Uint8Array>;
}

/**
 * Where the bytes of uploads go: the graph itself only sees the ids. A kept file belongs to the organization of the request and
 * is a draft until a mutation takes it up.
 */
export interface FileStore {
  /** The id of the kept file; nothing is kept when this throws. */
  keep(file: IncomingFile, context: RequestContext): Promise<string>;
  /** Remove drafts that no mutation took up. */
  discard(ids: readonly string[], context: RequestContext): Promise<void>;
}
