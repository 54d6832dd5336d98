import pg from 'pg';
import { keepAlive } from '../database/index.ts';

type Listener = (payload: string) => void;

const PING_INTERVAL = 5_000;
const SERVER_TIMEOUT = 5_000;

/** Receives the notifications of other processes by LISTEN on one connection, and reconnects when it is lost. */
export class Notifications {
  readonly #listeners = new Map<string, Set<Listener>>();
  #client: pg.Client | undefined;
  /** The end of the statements so far. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  #ping: NodeJS.Timeout | undefined;

  constructor(private readonly url: string) {}

  async open(): Promise<this> {
    await this.#connect();
    // Without pings, a silently dropped connection would go unnoticed for hours.
    this.#ping = setInterval(() => {
      const client = this.#client;
      if (client) this.#ask(client, 'select 1').catch(() => this.#lost(client));
    }, PING_INTERVAL).unref();
    return this;
  }

  /**
   * Listen to a channel until the returned function is called. The listener gets an empty payload when it may have missed notifications:
   * after LISTEN on a new channel, and after a reconnect.
   */
  on(channel: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    if (listeners.size === 0) void this.#listen(channel).then(() => this.#dispatch(channel, ''));
    this.#listeners.set(channel, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#ping);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'notifications',
      ...keepAlive,
      connectionTimeoutMillis: SERVER_TIMEOUT,
      query_timeout: SERVER_TIMEOUT,
    });
    client.on('notification', ({ channel, payload = '' }) => this.#dispatch(channel, payload));
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
    const reconnect = async () => {
      try {
        await this.#connect();
        for (const channel of this.#listeners.keys()) this.#dispatch(channel, '');
      } catch {
        if (!this.#closed) this.#retry = setTimeout(reconnect, 1_000);
      }
    };
    this.#retry = setTimeout(reconnect, 100);
  }

  /** Treat a failed LISTEN as a lost connection, which would otherwise stay silent. */
  async #listen(channel: string): Promise<void> {
    const client = this.#client;
    if (client) await this.#ask(client, `listen ${pg.escapeIdentifier(channel)}`).catch(() => this.#lost(client));
  }

  /** One statement after the other: the next version of pg accepts none while another one runs. */
  #ask(client: pg.Client, statement: string): Promise<unknown> {
    const asked = this.#turn.then(() => client.query(statement));
    this.#turn = asked.catch(() => {});
    return asked;
  }

  #dispatch(channel: string, payload: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
  }
}
