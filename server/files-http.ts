import { Readable } from 'node:stream';
import type { RequestContext } from 'compiled-gateway';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { request } from 'undici';
import { codeOf, fail } from '../schema/errors.ts';
import type { FileStore } from '../schema/request.ts';

/**
 * Create the client of the file store in a catalog subgraph in another process. It streams uploads. A disconnected caller does not cancel
 * them, because the gateway needs the ids to discard the files.
 */
export function httpFiles({ url, secret }: { url: string; secret?: string }): FileStore {
  const send = async (method: 'PUT' | 'DELETE', path: string, { headers }: RequestContext, more: object, body?: Readable) => {
    const known = Object.entries(headers).filter(([, value]) => value !== undefined);
    const sent = { ...Object.fromEntries(known), ...(secret && { 'x-subgraph-secret': secret }), ...more } as Record<
      string,
      string
    >;
    const answer = await request(url + path, { method, headers: sent, body, headersTimeout: 60_000 }).catch((cause) => {
      throw Object.assign(fail('UNAVAILABLE', 'The subgraph cannot be reached'), { cause });
    });
    const text = await answer.body.text();
    if (answer.statusCode < 300) return text;
    throw answer.statusCode === 400 ? refusalOf(text) : fail('UNAVAILABLE', 'The subgraph does not accept files');
  };

  return {
    async keep({ name, type, bytes, content }, context) {
      const more = {
        'x-file-name': encodeURIComponent(name),
        'x-file-type': type,
        'content-type': 'application/octet-stream',
        'content-length': String(bytes),
      };
      return JSON.parse(await send('PUT', '', context, more, Readable.from(content))).id as string;
    },
    async discard(ids, context) {
      for (const id of ids) await send('DELETE', `/${id}`, context, {});
    },
  };
}

/** The error of the store, such as `LIMIT_REACHED`. */
function refusalOf(text: string): GraphQLError {
  const [error] = (JSON.parse(text) as { errors: [GraphQLFormattedError] }).errors;
  return fail(codeOf(error), error.message);
}
