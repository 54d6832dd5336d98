import type { GraphQLFormattedError } from 'graphql';
import { codeOf, type ErrorCode, errors } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import type { FailureShape, Statuses, Surface } from '../surface.ts';

/** The reason why a request failed, with its public message. */
export interface Refusal {
  code: ErrorCode;
  message: string;
  /** Further keys of the error body. */
  extra?: Readonly<Record<string, unknown>>;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
}

/** Convert a GraphQL error to a refusal. */
export function refusalOf(error: GraphQLFormattedError): Refusal {
  const { extra, retryAfter } = error.extensions ?? {};
  return {
    code: codeOf(error),
    message: error.message,
    ...(isObject(extra) && { extra }),
    ...(typeof retryAfter === 'number' && { retryAfter }),
  };
}

export function statusOf(code: Refusal['code'], surface: Surface, statuses: Statuses = {}): number {
  return statuses[code] ?? surface.statuses?.[code] ?? errors[code];
}

/** The message of a refusal, in the wording of the surface. */
export function messageOf({ code, message }: Pick<Refusal, 'code' | 'message'>, { messages }: Surface): string {
  // A replacement string would interpret `$&` in the message.
  return messages[code]?.replace('{message}', () => message) ?? message;
}

/** The body of a refusal in the error format of the surface. */
export function failureBody(refusal: Refusal, status: number, surface: Surface): Record<string, unknown> {
  return fill(surface.failure, { message: messageOf(refusal, surface), status, code: refusal.code }, refusal.extra);
}

type Filling = { message: string; status: number; code: string };

function fill(shape: FailureShape, filling: Filling, extra?: Refusal['extra']): Record<string, unknown> {
  const filled = Object.entries(shape).map(([key, part]): [string, unknown] => {
    if (typeof part === 'object') return [key, fill(part, filling, extra)];
    return [key, part ? filling[part.slice(1, -1) as keyof Filling] : part];
  });
  const body = Object.fromEntries(filled);
  return Object.values(shape).includes('{message}') ? { ...body, ...extra, ...body } : body;
}
