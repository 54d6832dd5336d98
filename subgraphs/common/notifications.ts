import pg from 'pg';

type Listener = (payload: string) => void;

/** Milliseconds between two looks at the connection, and for an answer of the server. */
const LOOK = 15_000;
const ANSWER = 10_000;

/** Hears what other processes commit: PostgreSQL's LISTEN on one connection, which comes back when it is lost. */
export class Notifications {
  readonly #listeners = new Map<string, Set<Listener>>();
  #client: pg.Client | undefined;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(private readonly url: string) {}

  async open(): Promise<this> {
    await this.#connect();
    // A connection that was cut without a word would stay silent for hours.
    this.#look = setInterval(() => {
      const client = this.#client;
      client?.query('select 1').catch(() => this.#lost(client));
    }, LOOK).unref();
    return this;
  }

  /**
   * Hear a channel until the returned function is called. A listener is called with an empty payload when something may have been
   * missed: once a new channel is really heard, and after a lost connection.
   */
  on(channel: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    if (listeners.size === 0) void this.#listen(channel).then(() => this.#tell(channel, ''));
    this.#listeners.set(channel, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#look);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'notifications',
      keepAlive: true,
      connectionTimeoutMillis: ANSWER,
      query_timeout: ANSWER,
    });
    client.on('notification', ({ channel, payload = '' }) => this.#tell(channel, payload));
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    await client.connect();
    this.#client = client;
    await Promise.all([...this.#listeners.keys()].map((channel) => this.#listen(channel)));
  }

  #lost(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => {});
    const again = async () => {
      try {
        await this.#connect();
        for (const channel of this.#listeners.keys()) this.#tell(channel, '');
      } catch {
        if (!this.#closed) this.#retry = setTimeout(again, 1_000);
      }
    };
    this.#retry = setTimeout(again, 100);
  }

  /** A connection that does not listen would be silent for ever, so a failure counts as a lost connection. */
  async #listen(channel: string): Promise<void> {
    const client = this.#client;
    await client?.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => this.#lost(client));
  }

  #tell(channel: string, payload: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
  }
}
