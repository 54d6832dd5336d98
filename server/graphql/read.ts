import type { FastifyRequest } from 'fastify';
import { isEncoded } from '../../schema/content-encoding.ts';
import { isObject } from '../../schema/json.ts';
import { refused } from '../failure.ts';
import { isUtf8 } from './media.ts';

/** One request as it was sent, its parts being of the right kind. */
export interface Sent {
  query?: string;
  /** Names a trusted document instead of a query. */
  documentId?: string;
  operationName?: string;
  variables?: Record<string, unknown>;
  extensions?: Record<string, unknown>;
}

/** What a page cannot send to another site unless that agreed. */
const unsafe = ['x-api-key', 'apollo-require-preflight', 'graphql-require-preflight', 'x-apollo-operation-name'] as const;

/**
 * Refuses what it would be wrong to read. A page of another site can make a browser send a GET, or a form, without asking first;
 * for one of the headers above, and for JSON, the browser asks.
 */
export function checkReadable({ method, headers }: FastifyRequest): void {
  const [type, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const json = type!.trim() === 'application/json';
  if (method !== 'POST') {
    if (json || unsafe.some((name) => headers[name])) return;
    throw refused(400, `A GET request needs one of the headers ${unsafe.join(', ')}, so that no other site can make it`);
  }
  if (!json) throw refused(415, 'Send the operation as application/json');
  const charset = parameters.find((each) => each.trim().startsWith('charset='));
  if (charset && !isUtf8(charset.slice(charset.indexOf('=') + 1).trim())) throw refused(415, 'Send the operation in UTF-8');
  if (isEncoded(headers)) throw refused(415, 'Send the operation without a content encoding');
}

/** The parameters of a request. Throws a sentence, 400, when they are no request of GraphQL. */
export function readSent({ method, body, query }: FastifyRequest): Sent {
  if (Array.isArray(body)) throw refused(400, 'Batching is off: send one operation in each request');
  const sent = method === 'POST' ? readParts(body, fromJson) : readParts(query, fromText);
  if (!sent.query && !sent.documentId && !sent.extensions?.persistedQuery) throw refused(400, 'Send a query');
  return sent;
}

const fromJson = (_: string, value: unknown): unknown => value ?? undefined;

/** In the address everything is text: what is empty is absent, maps are JSON. */
function fromText(name: string, value: unknown): unknown {
  if (value === '') return undefined;
  if ((name !== 'variables' && name !== 'extensions') || typeof value !== 'string') return value;
  try {
    return JSON.parse(value) ?? undefined;
  } catch {
    throw refused(400, `The parameter ${name} must be JSON`);
  }
}

function readParts(given: unknown, part: (name: string, value: unknown) => unknown): Sent {
  if (!isObject(given)) throw refused(400, 'Send an object with a query');
  const text = (name: string) => {
    const value = part(name, given[name]);
    if (value !== undefined && typeof value !== 'string') throw refused(400, `The parameter ${name} must be text`);
    return value;
  };
  const map = (name: string) => {
    const value = part(name, given[name]);
    if (value !== undefined && !isObject(value)) throw refused(400, `The parameter ${name} must be an object`);
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
