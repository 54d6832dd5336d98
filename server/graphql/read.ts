import type { FastifyRequest } from 'fastify';
import { isEncoded } from '../../schema/content-encoding.ts';
import { isObject } from '../../schema/json.ts';
import { httpError } from '../failure.ts';
import { namesKeyTwice } from '../json-members.ts';
import { isUtf8 } from './media.ts';

/** The parameters of a GraphQL request, with checked types. */
export interface Parameters {
  query?: string;
  /** Id of a trusted document, instead of a query. */
  documentId?: string;
  operationName?: string;
  variables?: Record<string, unknown>;
  extensions?: Record<string, unknown>;
}

/** Headers that trigger a CORS preflight. */
const preflightHeaders = ['x-api-key', 'apollo-require-preflight', 'graphql-require-preflight', 'x-apollo-operation-name'] as const;

/**
 * Prevent CSRF and reject unsupported bodies. Another site can send a simple GET or a form without a preflight; JSON and the
 * headers above require one.
 */
export function checkReadable({ method, headers }: FastifyRequest): void {
  const [type, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const json = type!.trim() === 'application/json';
  if (method !== 'POST') {
    if (json || preflightHeaders.some((name) => headers[name])) return;
    throw httpError(
      400,
      `A GET request needs one of the headers ${preflightHeaders.join(', ')}, so that no other site can make it`,
    );
  }
  if (type!.trim() === 'multipart/form-data') {
    throw httpError(415, 'Upload files to the REST API, and send the operation with the returned ids as application/json');
  }
  if (!json) throw httpError(415, 'Send the operation as application/json');
  const charset = parameters.find((each) => each.trim().startsWith('charset='));
  if (charset && !isUtf8(charset.slice(charset.indexOf('=') + 1).trim())) throw httpError(415, 'Send the operation in UTF-8');
  if (isEncoded(headers)) throw httpError(415, 'Send the operation without a content encoding');
}

/** Read the parameters of a request. Throws a 400 error when they are invalid. */
export function readParameters({ method, body, query }: FastifyRequest): Parameters {
  if (Array.isArray(body)) throw httpError(400, 'Batching is off: send one operation in each request');
  const parameters = method === 'POST' ? readParts(body, fromJson) : readParts(query, fromText);
  if (!parameters.query && !parameters.documentId && !parameters.extensions?.persistedQuery) throw httpError(400, 'Send a query');
  return parameters;
}

const fromJson = (_: string, value: unknown): unknown => value ?? undefined;

/** Parse a query parameter. Empty text is absent; `variables` and `extensions` are JSON. */
function fromText(name: string, value: unknown): unknown {
  if (value === '') return undefined;
  if ((name !== 'variables' && name !== 'extensions') || typeof value !== 'string') return value;
  if (namesKeyTwice(value)) throw httpError(400, `The parameter ${name} names a key twice in one object`);
  try {
    return JSON.parse(value) ?? undefined;
  } catch {
    throw httpError(400, `The parameter ${name} must be JSON`);
  }
}

function readParts(given: unknown, part: (name: string, value: unknown) => unknown): Parameters {
  if (!isObject(given)) throw httpError(400, 'Send an object with a query');
  const text = (name: string) => {
    const value = part(name, given[name]);
    if (value !== undefined && typeof value !== 'string') throw httpError(400, `The parameter ${name} must be text`);
    return value;
  };
  const map = (name: string) => {
    const value = part(name, given[name]);
    if (value !== undefined && !isObject(value)) throw httpError(400, `The parameter ${name} must be an object`);
    return value;
  };
  return {
    query: text('query'),
    documentId: text('documentId'),
    operationName: text('operationName'),
    variables: map('variables'),
    extensions: map('extensions'),
  };
}
