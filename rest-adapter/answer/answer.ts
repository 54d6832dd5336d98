import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Endpoint, requiredPayload } from '../endpoint.ts';
import { discardFiles, type FormTarget, receiveForm } from '../request/multipart.ts';
import { type Parts, UNKNOWN_PARAMETERS, UnknownNames } from '../request/request-variables.ts';
import { sendFile } from './file-stream.ts';
import { refuse } from './public-refusal.ts';
import { endStream, openStream, sendEvents } from './server-sent-events.ts';

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
