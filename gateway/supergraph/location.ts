/** A place that a supergraph is read from, again and again. */
export interface SupergraphLocation {
  /** The file or address as messages show it, without credentials. */
  readonly name: string;
  /** Milliseconds between two reads. */
  readonly interval: number;
  /** Read the text now. Throws a predicate with the reason, such as `does not exist`. */
  read(): Promise<string>;
  /** Read the text if it has changed since the last read; undefined otherwise. Throws as `read` does. */
  readChange(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface LocationOptions {
  /** Headers of requests to an address, for registries that ask for a key. */
  headers?: Record<string, string>;
  /** Milliseconds between two requests to an address. */
  pollInterval?: number;
}
