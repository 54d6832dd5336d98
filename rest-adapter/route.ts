import type { ErrorCode } from '../schema/errors.ts';
import type { Requirement } from '../schema/request.ts';
import type { Envelope, Surface } from './surface.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Relative to the base of the surface, parameters as `{name}` or `:name`; `GET /` is the base itself. Rows that share a path end in
 * `#` and the value of `action` in the body that means them: `POST /webhooks#create`.
 */
export type Key = `${Verb} /${string}`;

/** One endpoint: the endpoint itself, its documentation and its tests all come from here. */
export interface Row {
  summary: string;
  description?: string;
  /** One operation with one root field. Its value is the payload; aliases give the documented keys. */
  graphql: string;
  /** A request that reaches this row. Keys under `query` are documented as query parameters whatever the verb. */
  example: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };
  /** Of a success; 200 unless said. */
  status?: number;
  envelope?: Envelope;
  /**
   * The body is a form (multipart/form-data) whose files come under the name `files`. They are in the store when the operation runs: its
   * variable `files` is their ids, the others are the fields of the form.
   */
  files?: FileLimits;
  /** `file`: the operation gives `name columns rows next`, a page of a table after `$after`; all pages leave as one CSV file. */
  reply?: 'file';
  /** Paths in the payload, through lists (`items.enrichedData`), whose null is left out. */
  omitNull?: readonly string[];
  requires?: Requirement;
  /** Failures beyond the usual ones of the surface, with the documented message where there is one. */
  errors?: readonly ErrorCode[] | Partial<Record<ErrorCode, string>>;
  /** Where a status differs from that of the surface. */
  statuses?: Partial<Record<ErrorCode, number>>;
  headers?: Readonly<Record<string, string>>;
}

/** What is accepted of files; one that breaks it refuses the whole request. */
export interface FileLimits {
  count: number;
  /** Of one file. */
  bytes: number;
  /** Of all files together. */
  total: number;
  /** By the declared MIME type. */
  types: readonly string[];
  /** The form may come without files. */
  optional?: true;
}

/** The variable by which a row with `reply: 'file'` asks for the page after one; no caller can fill it. */
export const CURSOR = 'after';

export interface Table {
  surface: Surface;
  rows: Record<Key, Row>;
}

export function table<K extends Key>(surface: Surface, rows: Record<K, Row>): Table {
  return { surface, rows };
}

/** A row at its place. */
export interface Route {
  /** As documented, with the full path: `POST /api/{organization}/products/create`, and `#action` where there is one. */
  name: string;
  method: Verb;
  /** The path with parameters as `{name}`. */
  path: string;
  /** The path with parameters as `:name`. */
  url: string;
  params: string[];
  /** What `action` of the body must be, on a path that rows share. */
  action?: string;
  surface: Surface;
  row: Row;
}

export function routes({ surface, rows }: Table): Route[] {
  return Object.entries(rows).map(([key, row]) => {
    const [place, action] = key.split('#') as [string, string?];
    const [method, relative] = place.split(' ') as [Verb, string];
    const path = braced(surface.base + (relative === '/' ? '' : relative));
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const name = `${method} ${path}${action ? `#${action}` : ''}`;
    return { name, method, path, url: path.replace(/\{(\w+)\}/g, ':$1'), params, surface, row, ...(action && { action }) };
  });
}

/** Routes by what the server tells apart: those that share a path stand together. */
export const byPlace = <T>(all: readonly T[], routeOf: (each: T) => Route): T[][] => [
  ...Map.groupBy(all, (each) => `${routeOf(each).method} ${routeOf(each).path}`).values(),
];

const braced = (path: string) => path.replace(/:(\w+)/g, '{$1}');
