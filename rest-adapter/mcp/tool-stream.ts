import type { Answer } from 'compiled-gateway';
import { isObject } from '../../schema/json.ts';
import { truncate } from '../../schema/text.ts';
import type { OpenedStream } from '../answer/answer.ts';
import type { Endpoint } from '../endpoint.ts';
import type { StreamResult } from '../route.ts';

/** Reports the progress of a call to its caller. */
export type Notify = (progress: { progress: number; total?: number; message?: string }) => Promise<void>;

interface Reading {
  /** Maximum time to read. */
  milliseconds: number;
  signal: AbortSignal;
  notify?: Notify;
}

/** Minimum milliseconds between two notifications. */
const NOTIFICATION_INTERVAL = 100;
/** Maximum characters of the collected text. */
const MAX_TEXT = 1_000_000;

/** Read a stream to its end, or until the time is over, and summarize its events. Rejects when the signal aborts. */
export async function readStream(endpoint: Endpoint, { first, rest }: OpenedStream, { milliseconds, signal, notify }: Reading) {
  const { data, result = {} } = endpoint.route.row.stream ?? {};
  const summary = new Summary(data, result, notify);
  let stop = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  const timer = setTimeout(stop, milliseconds);
  signal.addEventListener('abort', stop);
  let event: Answer | undefined = first;
  let ended = event === undefined;
  try {
    while (event) {
      const [error] = event.errors ?? [];
      if (error) return { error };
      await summary.add(JSON.parse(endpoint.payload(event) ?? '{}'));
      const next = await Promise.race([rest.next(), stopped]);
      signal.throwIfAborted();
      if (next === undefined) break;
      event = next.done ? undefined : next.value;
      ended = event === undefined;
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    // In the background, because a source may end slowly.
    rest.return?.().catch(() => {});
  }
  return { result: { ...summary.value, ended } };
}

class Summary {
  #fields: Record<string, unknown> = {};
  #text = '';
  #unsent = '';
  #events = 0;
  #progress = -1;
  #sentAt = 0;

  constructor(
    private readonly data: string | undefined,
    private readonly result: StreamResult,
    private readonly notify?: Notify,
  ) {}

  get value(): Record<string, unknown> {
    return this.result.text ? { ...this.#fields, text: this.#text } : this.#fields;
  }

  async add(payload: Record<string, unknown>): Promise<void> {
    const { [this.data ?? '']: part, ...fields } = payload;
    this.#fields = fields;
    this.#events += 1;
    const { text } = this.result;
    if (text && isObject(part) && part.type === text.type) this.#append(String(part[text.key]));
    await this.#report(payload);
  }

  #append(text: string): void {
    const added = truncate(text, MAX_TEXT - this.#text.length);
    this.#text += added;
    this.#unsent += added;
  }

  /** Progress must increase with each notification. */
  async #report(payload: Record<string, unknown>): Promise<void> {
    const { progress: paths } = this.result;
    const progress = paths ? Number(valueAt(payload, paths.done)) : this.#events;
    if (!this.notify || progress <= this.#progress || Date.now() - this.#sentAt < NOTIFICATION_INTERVAL) return;
    const message = this.#unsent;
    this.#progress = progress;
    this.#sentAt = Date.now();
    this.#unsent = '';
    await this.notify({
      progress,
      ...(paths && { total: Number(valueAt(payload, paths.total)) }),
      ...(message && { message }),
    });
  }
}

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce((each, key) => (isObject(each) ? each[key] : undefined), value);
