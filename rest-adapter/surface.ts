import type { ErrorCode } from '../schema/errors.ts';
import type { Requirement } from '../schema/request.ts';

/**
 * How a payload becomes a body: the constants in `with`, and the payload under the key `under` (`data`, `data.agents`). Without `under` the keys of the
 * payload stand beside the constants; `{}` is the bare payload.
 */
export interface Envelope {
  with?: Readonly<Record<string, boolean | number | string>>;
  under?: string;
  /** Constants that stand beside the keys of the payload itself. */
  inside?: Envelope['with'];
}

/** A failure body as data: the words in braces are filled in, and a refusal's extra keys go beside the message. */
export interface FailureShape {
  readonly [key: string]: false | '{message}' | '{status}' | '{code}' | FailureShape;
}

/** Where a credential is taken from; a header that no scheme of the surface names is not passed on. */
export const keySchemes = {
  apiKey: {
    header: 'x-api-key',
    documented: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key (preferred).' },
  },
  bearer: { header: 'authorization', documented: { type: 'http', scheme: 'bearer', description: 'An API key as a bearer token.' } },
} as const;

export type KeyScheme = keyof typeof keySchemes;

/** A family of endpoints that share an address, a door and the looks of their answers. All of it is data. */
export interface Surface {
  name: string;
  /** The tag of the documentation, and what it says about it. */
  tag: string;
  description: string;
  /** With parameters as `:name`; each is a variable of every row, except `organization`. */
  base: string;
  listener: 'main' | 'site';
  requires: Requirement;
  keys: readonly KeyScheme[];
  /** Where the organization is named; nowhere means that the key decides. */
  organization?: 'path' | 'query';
  envelope: Envelope;
  failure: FailureShape;
  /** Where a status differs from `schema/errors.ts`. */
  statuses?: Partial<Record<ErrorCode, number>>;
  /** Fixed messages, or frames around `{message}`. */
  messages: Partial<Record<ErrorCode, string>>;
  /** The failures that any row can end in. */
  errors: readonly ErrorCode[];
  /** Headers of every response, failures too. */
  headers?: Readonly<Record<string, string>>;
}
