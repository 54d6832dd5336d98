import { PassThrough } from 'node:stream';
import type { Answer, RequestContext } from 'compiled-gateway';
import type { FastifyReply } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { isObject } from '../../schema/json.ts';
import type { Endpoint } from '../endpoint.ts';
import type { EventData, StreamFormat } from '../route.ts';
import type { Surface } from '../surfaces.ts';
import { messageOf, refusalOf } from './public-refusal.ts';

/** Milliseconds between comment lines, which keep proxies from closing an idle connection. */
export const PING_INTERVAL = 10_000;
const PING = ': ping\n\n';
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  // Without it, nginx would buffer the events.
  'x-accel-buffering': 'no',
};

/** The events of a subscription, with the first one already received. */
export interface OpenedStream {
  first: Answer | undefined;
  rest: AsyncIterator<Answer>;
}

/** Subscribe and wait for the first event, so that a refusal still gets its own status. */
export async function openStream(
  { operation }: Endpoint,
  variables: Record<string, unknown>,
  context: RequestContext,
): Promise<OpenedStream | { errors: readonly GraphQLFormattedError[] }> {
  const events = await operation.subscribe(variables, context);
  if (!(Symbol.asyncIterator in events)) return { errors: events.errors ?? [] };
  const rest = events[Symbol.asyncIterator]();
  const { value: first } = await rest.next();
  if (!first?.errors?.length) return { first, rest };
  await rest.return?.();
  return { errors: first.errors };
}

/** End a stream that nobody reads. */
export async function endStream(opened: Awaited<ReturnType<typeof openStream>>): Promise<void> {
  if ('rest' in opened) await opened.rest.return?.();
}

/** Send the events of a subscription as server-sent events. A stream without events is an empty 204. */
export function sendEvents(endpoint: Endpoint, { first, rest }: OpenedStream, reply: FastifyReply): FastifyReply {
  const { row, surface } = endpoint.route;
  const { headers = {}, end, ...format } = row.stream ?? {};
  const writer = new EventWriter(endpoint, format, surface);
  if (!first) return reply.code(204).send();
  const opening = JSON.parse(endpoint.payload(first) ?? '{}') as Record<string, unknown>;
  for (const [name, key] of Object.entries(headers)) reply.header(name, String(opening[key]));

  const body = new PassThrough();
  const ping = setInterval(() => !body.writableNeedDrain && body.write(PING), PING_INTERVAL);
  const send = async () => {
    for (let event: Answer | undefined = first; event; ) {
      const isFull = !body.write(writer.textOf(event));
      if (isFull) await drained(body);
      if (event.errors || body.destroyed) break;
      ({ value: event } = await rest.next());
    }
    if (end !== undefined && !body.destroyed) body.write(dataLine(end));
  };
  body.once('close', () => clearInterval(ping));
  send()
    .catch((err: unknown) => reply.log.error({ err, route: endpoint.route.name }, 'Failed to send an event stream completely'))
    .finally(() => {
      clearInterval(ping);
      body.end();
      return rest.return?.();
    })
    .catch(() => {});
  return reply
    .code(row.status ?? 200)
    .headers(HEADERS)
    .send(body);
}

/** Wait until the client has read the buffer or disconnected. */
const drained = (body: PassThrough): Promise<void> =>
  new Promise((resolve) => {
    // A stream that is destroyed emits neither event again.
    if (body.destroyed) return resolve();
    const settle = () => {
      body.off('drain', settle).off('close', settle);
      resolve();
    };
    body.on('drain', settle).on('close', settle);
  });

/** Writes the events of one stream as text. */
class EventWriter {
  /** Keys of the events that an error must close. */
  readonly #open = new Set<unknown>();

  constructor(
    private readonly endpoint: Endpoint,
    private readonly format: StreamFormat,
    private readonly surface: Surface,
  ) {}

  textOf(event: Answer): string {
    const { data, failure } = this.format;
    const [error] = event.errors ?? [];
    if (error) return this.#closingText() + failureText(error, failure, this.surface);
    const text = this.endpoint.payload(event) ?? 'null';
    if (data === undefined) return dataLine(text);
    // The key is the last one, after scalars. It cannot occur in their text, where quotes are escaped.
    const key = `"${data}":`;
    const value = text.slice(text.indexOf(key) + key.length, -1);
    this.#track(value);
    return dataLine(value);
  }

  #track(text: string): void {
    const { pair } = this.format;
    // Most events belong to no pair. They are not parsed.
    if (!pair || !(text.includes(`"${pair.open}"`) || text.includes(`"${pair.close}"`))) return;
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return;
    if (value.type === pair.open) this.#open.add(value[pair.key]);
    if (value.type === pair.close) this.#open.delete(value[pair.key]);
  }

  #closingText(): string {
    const { pair } = this.format;
    if (!pair) return '';
    return [...this.#open].map((value) => dataLine(JSON.stringify({ type: pair.close, [pair.key]: value }))).join('');
  }
}

/** The events that end a stream with an error. */
function failureText(error: GraphQLFormattedError, events: readonly EventData[] = [{ error: '{message}' }], surface: Surface) {
  const message = messageOf(refusalOf(error), surface);
  const fill = (_: string, value: unknown) => (value === '{message}' ? message : value);
  return events.map((event) => dataLine(JSON.stringify(event, fill))).join('');
}

const dataLine = (text: string): string => `data: ${text}\n\n`;
