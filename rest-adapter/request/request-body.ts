import type { IncomingMessage } from 'node:http';
import type { preParsingHookHandler } from 'fastify';
import { fail } from '../../schema/errors.ts';
import { isEncoded } from '../../schema/request.ts';
import { hasDuplicateKeys, measureJson } from '../../server/json-members.ts';

const MAX_DEPTH = 64;

/** Faults of a body that is no JSON text. */
export const unreadableBody = { encoding: 'the body is not UTF-8 text', syntax: 'the body is not valid JSON' } as const;

// Keep a byte order mark, so that the JSON parser rejects it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parse a request body. An empty body is an empty object, regardless of its content type. */
export function readBody(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return {};
  if (contentType && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    throw fail('INVALID_INPUT', 'the content type must be application/json');
  }
  const text = decode(bytes);
  const { depth, members } = measureJson(text);
  // Check the depth before parsing, because later code is recursive.
  if (depth > MAX_DEPTH) throw fail('INVALID_INPUT', `the body is nested more than ${MAX_DEPTH} levels deep`);
  const value = parse(text);
  if (hasDuplicateKeys(value, members)) throw fail('INVALID_INPUT', 'the body has a duplicate key in an object');
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw fail('INVALID_INPUT', unreadableBody.encoding);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail('INVALID_INPUT', unreadableBody.syntax);
  }
}

/** A `preParsing` hook that rejects compressed bodies. */
export const refuseEncoded: preParsingHookHandler = ({ headers, raw }, _reply, payload, done) => {
  if (isEncoded(headers) && hasBody(raw)) return done(fail('INVALID_INPUT', 'the body must not have a content encoding'));
  done(null, payload);
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
