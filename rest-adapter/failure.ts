import type { GraphQLFormattedError } from 'graphql';
import { codeOf, type ErrorCode, errors } from '../schema/errors.ts';
import { isObject } from '../schema/json.ts';
import type { FailureShape, Surface } from './surface.ts';

/** Why a request is not answered as asked. */
export interface Refusal {
  code: ErrorCode | 'METHOD_NOT_ALLOWED';
  message: string;
  extra?: Readonly<Record<string, unknown>>;
}

/** The refusal that an error of the graph stands for. */
export function refusalOf(error: GraphQLFormattedError): Refusal {
  const extra = error.extensions?.extra;
  return {
    code: codeOf(error),
    message: error.message,
    ...(isObject(extra) && { extra }),
  };
}

type Statuses = Partial<Record<ErrorCode, number>>;

export function statusOf(code: Refusal['code'], surface: Surface, statuses: Statuses = {}): number {
  return code === 'METHOD_NOT_ALLOWED' ? 405 : (statuses[code] ?? surface.statuses?.[code] ?? errors[code]);
}

/** The message of a code as the surface puts it. */
export function messageOf({ code, message }: Pick<Refusal, 'code' | 'message'>, { messages }: Surface): string {
  const frame = code === 'METHOD_NOT_ALLOWED' ? undefined : messages[code];
  // A function, because a plain replacement would read `$&` in the message.
  return frame?.replace('{message}', () => message) ?? message;
}

/** The body of a refusal as the surface shapes it. */
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
