/** A file or address from which a supergraph is read and polled. */
export interface SupergraphLocation {
  /** The file or address for messages, without credentials. */
  readonly name: string;
  /** Milliseconds between polls. */
  readonly interval: number;
  /** Read the text now. The error message is a predicate, such as `does not exist`. */
  read(): Promise<string>;
  /** Read the text if it has changed since the last read; undefined otherwise. Throws like `read`. */
  readChange(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface LocationOptions {
  /** Request headers for an address, such as the key of a registry. */
  headers?: Record<string, string>;
  /** Milliseconds between requests to an address. */
  pollInterval?: number;
}
