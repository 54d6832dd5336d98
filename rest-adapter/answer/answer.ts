import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import type { Answer, RequestContext } from 'compiled-gateway';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { isObject } from '../../schema/json.ts';
import { type Endpoint, requiredPayload } from '../endpoint.ts';
import { discardFiles, type FormTarget, receiveForm } from '../request/multipart.ts';
import { type Parts, UNKNOWN_PARAMETERS, UnknownNames } from '../request/request-variables.ts';
import { CURSOR, type EventData, type StreamFormat } from '../route.ts';
import type { Surface } from '../surfaces.ts';
import { messageOf, refusalOf, refuse } from './public-refusal.ts';

/** Execute the operation of an endpoint and send its payload or first error. The timeout is multiplied by `times`. */
export async function answer(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, times = 1): Promise<FastifyReply> {
  const { row, surface, name } = endpoint.route;
  request.operation = name;
  const { params, query, headers } = request as typeof request & Pick<Parts, 'params' | 'query'>;
  // A body must not replace the documented query of a deletion.
  const body = request.method === 'DELETE' ? undefined : request.body;
  const unknown = new UnknownNames();
  const variables = endpoint.variables({ params, query, headers, body }, unknown);
  const ignored = unknown.toHeader();
  if (ignored !== undefined) reply.header(UNKNOWN_PARAMETERS, ignored);
  if (row.stream) {
    const opened = await request.lifetime.opening(openStream(endpoint, variables, request.context), endStream);
    return 'errors' in opened ? refuse(reply, opened.errors[0]!, surface, row.statuses) : sendEvents(endpoint, opened, reply);
  }
  const answered = await request.lifetime.within(endpoint.operation.execute(variables, request.context), times);
  const [error] = answered.errors ?? [];
  if (error) return refuse(reply, error, surface, row.statuses);
  const payload = requiredPayload(endpoint, answered);
  if (row.reply === 'file') return sendFile(endpoint, variables, payload, request, reply);
  const text = endpoint.write(payload);
  if (surface.entityTags && endpoint.route.method === 'GET') {
    const tag = entityTag(text);
    reply.header('etag', tag);
    if (isNotModified(request.headers['if-none-match'], tag)) return reply.code(304).send();
  }
  return reply
    .code(row.status ?? 200)
    .type('application/json; charset=utf-8')
    .send(text);
}

/**
 * Handle a multipart form: store its files, run the operation, then discard the files that it did not use. That happens when it
 * refused them or replayed a stored response. The operation reads files sequentially, so its timeout is multiplied by their
 * number.
 */
export async function answerForm(
  endpoint: Endpoint,
  target: FormTarget | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { row, name } = endpoint.route;
  if (!row.files || !target) throw new Error(`${name}: there is no store for its files`);
  const { fields, ids } = await receiveForm(request, row.files, target);
  request.body = endpoint.readForm({ ...fields, files: ids });
  try {
    return await answer(endpoint, request, reply, Math.max(1, ids.length));
  } finally {
    await discardFiles(target.store, ids, request.context, request.log);
  }
}

/** The strong entity tag of a response body. */
const entityTag = (body: string): string => `"${createHash('sha256').update(body).digest('base64url')}"`;

/** Whether `If-None-Match` lists the tag. The comparison is weak, as for every GET request. */
const isNotModified = (header: string | undefined, tag: string): boolean =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === tag));

/** The payload of a row with `reply: 'file'`: one page of a table, or a part of a text or of other bytes. */
type FilePage = (Table | Text | Bytes) & {
  name: string;
  /** The cursor of the next page. */
  next: string | null;
};
interface Table {
  columns: string[];
  rows: string[][];
}
interface Text {
  /** Media type. */
  type: string;
  text: string;
}
interface Bytes {
  /** In base64. */
  content: string;
}

/** Stream a file. It reads the next page when the caller has received the previous one. */
function sendFile(
  { operation, payload, route }: Endpoint,
  variables: Record<string, unknown>,
  text: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const first = JSON.parse(text) as FilePage;
  const nextPage = async (after: string) =>
    pageOf(await request.lifetime.within(operation.execute({ ...variables, [CURSOR]: after }, request.context)), payload);
  const stream = Readable.from(partsOf(first, nextPage), { objectMode: false });
  // The response has started, so close the connection; the caller then knows that the file is incomplete.
  stream.once('error', (err) => request.log.error({ err, route: route.name }, 'Failed to send a file completely'));
  return reply
    .code(route.row.status ?? 200)
    .type(typeOf(first))
    .header('content-disposition', attachment(first.name))
    .send(stream);
}

function pageOf(answer: Answer, payload: Endpoint['payload']): FilePage {
  const text = payload(answer);
  if (text === undefined) throw new Error(answer.errors?.[0]?.message ?? 'there is no next page');
  return JSON.parse(text) as FilePage;
}

function typeOf(first: FilePage): string {
  if ('text' in first) return first.type;
  // A browser must neither show nor run the bytes of others.
  return 'content' in first ? 'application/octet-stream' : 'text/csv; charset=utf-8';
}

async function* partsOf(first: FilePage, nextPage: (after: string) => Promise<FilePage>): AsyncGenerator<string | Buffer> {
  const start = 'columns' in first ? csv([first.columns]) : '';
  if (start !== '') yield start;
  for (let page = first; ; page = await nextPage(page.next)) {
    const part = partOf(page);
    if (part.length > 0) yield part;
    if (page.next === null) return;
  }
}

function partOf(page: FilePage): string | Buffer {
  if ('content' in page) return Buffer.from(page.content, 'base64');
  return 'text' in page ? page.text : csv(page.rows);
}

/** Write CSV by RFC 4180. Fields with any kind of line break are quoted. */
const csv = (rows: string[][]) => stringify(rows, { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

/** A `Content-Disposition` header with the UTF-8 file name, and an ASCII name for old clients. */
function attachment(fileName: string): string {
  // Control characters and bidirectional overrides disguise a name.
  const name = fileName.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '_');
  const plain = name.replace(/[^\x20-\x7e]|["\\/%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}

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
