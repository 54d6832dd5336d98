import type { ErrorCode } from '../schema/errors.ts';
import type { Requirement } from '../schema/request.ts';
import type { Word } from '../schema/words.ts';

/**
 * The format of a success body: the constants in `with`, and the payload at the path `under` (`data`, `data.agents`). Without
 * `under`, the keys of the payload are at the top level; `{}` is the bare payload.
 */
export interface Envelope {
  with?: Readonly<Record<string, boolean | number | string>>;
  under?: string;
  /** Constants to add to the payload object. */
  inside?: Envelope['with'];
}

/** The format of an error body. Placeholders in braces are replaced, and extra keys of a refusal are added to the object of the message. */
export interface FailureShape {
  readonly [key: string]: false | '{message}' | '{status}' | '{code}' | FailureShape;
}

/** Headers of credentials. Only the schemes of a surface are forwarded. */
export const keySchemes = {
  apiKey: {
    header: 'x-api-key',
    documented: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key (preferred).' },
  },
  bearer: { header: 'authorization', documented: { type: 'http', scheme: 'bearer', description: 'An API key as a bearer token.' } },
} as const;

export type KeyScheme = keyof typeof keySchemes;

/** HTTP statuses by error code. */
export type Statuses = Partial<Record<ErrorCode, number>>;

/** The groups of the MCP tools of rows: of those that read, and of those that write. */
export interface ToolGroups {
  read: Word<'ToolGroup'>;
  write: Word<'ToolGroup'>;
}

/** A group of endpoints with the same base path, access requirement and response format. */
export interface Surface {
  name: string;
  /** The OpenAPI tag and its description. */
  tag: string;
  description: string;
  /** The base path, with parameters as `:name`. Each is a variable of every row, except `organization`. */
  base: string;
  listener: 'main' | 'site';
  requires: Requirement;
  keys: readonly KeyScheme[];
  /** Part of the URL that names the organization; by default the key determines it. */
  organization?: 'path' | 'query';
  envelope: Envelope;
  failure: FailureShape;
  /** HTTP statuses that differ from `schema/errors.ts`. */
  statuses?: Statuses;
  /** Fixed messages, or templates with `{message}`. */
  messages: Partial<Record<ErrorCode, string>>;
  /** Error codes that every row can return. */
  errors: readonly ErrorCode[];
  /** Headers of every response, including errors. */
  headers?: Readonly<Record<string, string>>;
  /** Send a strong `ETag` with every GET response, and answer `If-None-Match` with 304. */
  entityTags?: true;
  /** Request headers that pages of other origins may send, besides `content-type`. */
  allowedHeaders?: readonly string[];
  /** Without it, the rows are no MCP tools. */
  tools?: ToolGroups;
}
