import { Readable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { RequestContext } from 'compiled-gateway';
import type { FastifyRequest } from 'fastify';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { fail } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import { AnswerBudget } from '../../schema/limits.ts';
import type { FileStore, FindToolAccess } from '../../schema/request.ts';
import { hasControlCharacters, isStorable } from '../../schema/text.ts';
import { abortedByCaller } from '../../server/lifetime.ts';
import { endStream, openStream } from '../answer/answer.ts';
import {
  failureBody,
  internalError,
  knownRefusal,
  messageOf,
  type PublicRefusal,
  refusalOf,
  statusOf,
} from '../answer/public-refusal.ts';
import { type Endpoint, requiredPayload } from '../endpoint.ts';
import { discardFiles, fileName, sentences } from '../request/multipart.ts';
import { CURSOR, type FileLimits, type Route, requirementOf } from '../route.ts';
import { type Arguments, ownArguments, partsOf, readText, readWait } from './arguments.ts';
import type { ServedTool } from './row-tool.ts';
import { type Notify, readStream } from './tool-stream.ts';

/** Services and limits that calls of tools need besides their arguments. */
export interface CallServices {
  access: FindToolAccess;
  files?: FileStore;
  /** Maximum bytes of a result, and of the rows read for it. */
  answerLimit: number;
  running: RunningCalls;
}

interface Call {
  tool: ServedTool;
  given: Arguments;
  /** The credential of the caller. */
  key: string;
  request: FastifyRequest;
  /** Aborts when the caller disconnects or cancels the call. */
  signal: AbortSignal;
  notify?: Notify;
}

/** Run the operation of a tool with the credential of the request. Errors of any kind are a result. */
export async function callTool(call: Call, services: CallServices): Promise<CallToolResult> {
  const { tool, request } = call;
  request.operation = `tool ${tool.name}`;
  try {
    const context = contextOf(call, services.answerLimit);
    const { groups, refusal } = await services.access(context, requirementOf(tool.route));
    if (refusal) return failure(refusalOf({ message: refusal.message, extensions: { code: refusal.code } }), tool.route);
    if (!groups.includes(tool.group)) return failure({ code: 'FORBIDDEN', message: missingGroup(tool) }, tool.route);
    if (tool.route.row.stream) return await services.running.wait(call.key, (hold) => callStream(call, context, hold));
    return tool.route.row.files ? await callWithFiles(call, context, services.files) : await execute(call, context, call.given);
  } catch (error) {
    const known = knownRefusal(error as GraphQLError);
    if (!known && !call.signal.aborted) request.log.error({ err: error, tool: tool.name }, 'Tool call failed');
    return failure(known ?? internalError, tool.route);
  }
}

const missingGroup = ({ group }: ServedTool) => `The API key may not call tools of the group ${group}.`;

/** The context of the request for one call: the organization and the idempotency key are arguments, not headers. */
function contextOf({ tool, given, request, signal }: Call, answerLimit: number): RequestContext {
  const headers = { ...request.context.headers };
  const organization = tool.route.surface.organization && readText(given, ownArguments.organization);
  // Encode the value, because headers are ASCII.
  if (organization !== undefined) headers['x-organization'] = encodeURIComponent(organization.toWellFormed());
  const idempotencyKey = tool.isIdempotent ? readText(given, ownArguments.idempotencyKey) : undefined;
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  // A subscription that is resumed after a lost connection must not act twice.
  if (tool.route.row.stream) headers['x-request-id'] = request.id;
  return { ...request.context, headers, signal, budget: new AnswerBudget(answerLimit) };
}

async function execute({ tool, request, signal }: Call, context: RequestContext, given: Arguments, times = 1) {
  const endpoint = tool.endpoint();
  const variables = variablesOf(endpoint, given);
  const answered = await request.lifetime.within(unlessAborted(endpoint.operation.execute(variables, context), signal), times);
  const [error] = answered.errors ?? [];
  if (error) return failureOf(error, tool);
  const payload = requiredPayload(endpoint, answered);
  return success(tool.route.row.reply === 'file' ? payload : endpoint.write(payload));
}

function variablesOf({ route, variables }: Endpoint, given: Arguments): Record<string, unknown> {
  const filled = variables(partsOf(given, route.params));
  return route.row.reply === 'file' ? { ...filled, [CURSOR]: readText(given, CURSOR) ?? null } : filled;
}

const failureOf = (error: GraphQLFormattedError, { route }: ServedTool) => failure(refusalOf(error), route);

/** The operation reads files sequentially, so its timeout is multiplied by their number. */
async function callWithFiles(call: Call, context: RequestContext, store: FileStore | undefined): Promise<CallToolResult> {
  const { tool, given, request } = call;
  const { files: limits } = tool.route.row;
  if (!limits || !store) throw new Error(`${tool.route.name}: there is no store for its files`);
  const ids = await keepFiles(given.files, limits, store, context);
  try {
    return await execute(call, context, { ...given, files: ids }, Math.max(1, ids.length));
  } finally {
    await discardFiles(store, ids, context, request.log);
  }
}

async function callStream(
  { tool, given, request, signal, notify }: Call,
  context: RequestContext,
  hold: (opening: Promise<unknown>) => void,
): Promise<CallToolResult> {
  const milliseconds = readWait(given);
  const endpoint = tool.endpoint();
  const opening = openStream(endpoint, endpoint.variables(partsOf(given, tool.route.params)), context);
  hold(opening);
  const opened = await request.lifetime.opening(opening, endStream, unlessAborted(opening, signal));
  if ('errors' in opened) return failureOf(opened.errors[0]!, tool);
  const { error, result } = await readStream(endpoint, opened, { milliseconds, signal, notify });
  return error ? failureOf(error, tool) : success(JSON.stringify(result));
}

/** Reject as soon as the signal aborts, even if the work ignores it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The result of a successful call. Clients without support for structured content read the text. */
const success = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: JSON.parse(text),
});

/**
 * The result of a refused call: the documented status and message. `_meta.error` holds the body of the REST response; structured
 * content would have to match the schema of a success.
 */
function failure(refusal: PublicRefusal, { row, surface }: Route): CallToolResult {
  const status = statusOf(refusal.code, surface, row.statuses);
  const texts = [`${status} ${refusal.code}: ${messageOf(refusal, surface)}`];
  if (refusal.extra) texts.push(JSON.stringify(refusal.extra));
  return {
    isError: true,
    content: texts.map((text) => ({ type: 'text', text })),
    _meta: {
      error: {
        status,
        code: refusal.code,
        body: failureBody(refusal, status, surface),
        ...(refusal.retryAfter !== undefined && { retryAfter: refusal.retryAfter }),
      },
    },
  };
}

interface File {
  name: string;
  type: string;
  content: Buffer;
}

const invalid = (message: string) => fail('INVALID_INPUT', message);

/** Store the files in the arguments of a tool and return their ids. All are validated before the first is stored. */
async function keepFiles(given: unknown, limits: FileLimits, store: FileStore, context: RequestContext): Promise<string[]> {
  const files = readFiles(given ?? [], limits);
  const ids: string[] = [];
  try {
    for (const { content, ...file } of files)
      ids.push(await store.keep({ ...file, bytes: content.length, content: Readable.from([content]) }, context));
    return ids;
  } catch (error) {
    // The first error is the one to report; a sweep removes abandoned files.
    await store.discard(ids, context).catch(() => {});
    throw error;
  }
}

function readFiles(given: unknown, limits: FileLimits): File[] {
  if (!Array.isArray(given)) throw invalid('files must be a list');
  if (given.length === 0 && !limits.optional) throw invalid(sentences.missing);
  if (given.length > limits.count) throw invalid(sentences.count);
  const files = given.map((each) => readFile(each, limits));
  if (files.reduce((sum, { content }) => sum + content.length, 0) > limits.total) throw invalid(sentences.total(limits));
  return files;
}

function readFile(given: unknown, limits: FileLimits): File {
  const { name, type, content } = isObject(given) ? given : {};
  if (typeof name !== 'string' || typeof type !== 'string' || typeof content !== 'string')
    throw invalid('every file must have a name, a type and content');
  if (!isStorable(name) || hasControlCharacters(name)) throw invalid(sentences.name);
  const stored = fileName(name);
  if (!limits.types.includes(type)) throw invalid(`the type of ${stored} must be one of ${limits.types.join(', ')}`);
  if (content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content)) throw invalid(`the content of ${stored} must be base64`);
  const bytes = Buffer.from(content, 'base64');
  if (bytes.length > limits.bytes) throw invalid(sentences.bytes(limits, stored));
  return { name: stored, type, content: bytes };
}

/** Maximum calls of one key that wait for a stream. Each holds a connection and a subscription. */
const MOST_WAITING = 20;

/** The running calls of this process, so that they can be canceled. It stores nothing of a session between its calls. */
export class RunningCalls {
  readonly #calls = new Map<string, AbortController>();
  readonly #waiting = new Map<string, number>();

  /** Run work that `cancel` with the same name aborts. */
  async run<T>(name: string | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    if (name !== undefined) this.#calls.set(name, controller);
    try {
      return await work(controller.signal);
    } finally {
      if (name !== undefined && this.#calls.get(name) === controller) this.#calls.delete(name);
    }
  }

  cancel(name: string): void {
    this.#calls.get(name)?.abort(abortedByCaller('The call was canceled'));
  }

  /**
   * Run work that waits for a stream. Throws `RATE_LIMITED` if too many calls of the key wait. A call counts until the promises that it holds
   * have settled, because the source of a canceled call may still open its stream.
   */
  async wait<T>(key: string, work: (hold: (opening: Promise<unknown>) => void) => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key) ?? 0;
    if (waiting >= MOST_WAITING) throw fail('RATE_LIMITED', `At most ${MOST_WAITING} calls of a key may wait at the same time.`);
    this.#waiting.set(key, waiting + 1);
    const held: Promise<unknown>[] = [];
    try {
      return await work((opening) => void held.push(opening));
    } finally {
      void Promise.allSettled(held).then(() => this.#leave(key));
    }
  }

  #leave(key: string): void {
    const left = (this.#waiting.get(key) ?? 1) - 1;
    if (left > 0) this.#waiting.set(key, left);
    else this.#waiting.delete(key);
  }
}
