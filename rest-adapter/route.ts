import type { ErrorCode } from '../schema/errors.ts';
import type { Requirement } from '../schema/request.ts';
import type { Envelope, Statuses, Surface, ToolGroups } from './surfaces.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Method and path relative to the base of the surface, with parameters as `{name}` or `:name`; `GET /` is the base itself. Rows
 * that share a path end with `#` and the `action` of their body: `POST /webhooks#create`.
 */
export type Key = `${Verb} /${string}`;

/** Declares one endpoint, its documentation and its tests. */
export interface Row {
  summary: string;
  description?: string;
  /** One operation with one root field, whose value is the payload. Aliases produce the documented keys. */
  graphql: string;
  /** A valid request. Keys of `query` are documented as query parameters for any method. */
  example: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };
  /** HTTP status of a success; default 200. */
  status?: number;
  envelope?: Envelope;
  /**
   * Accept a multipart form with files in the field `files`. They are stored before the operation runs. Its variable `files`
   * receives their ids; form fields fill the other variables.
   */
  files?: FileLimits;
  /** Answer with server-sent events; the operation is a subscription. Each of its events is one event of the response. */
  stream?: StreamFormat;
  /** Ignore the body. The operation takes none and authenticates the caller itself, so that no fault of the body comes before that. */
  ignoresBody?: true;
  /** Request headers that fill variables which neither the path, the query nor the body contains, by variable. */
  headerVariables?: Readonly<Record<string, string>>;
  /**
   * `file`: stream a file. The operation returns a page of a CSV file, `name columns rows next`, a part of a text, `name type text next`, or
   * a part of other bytes in base64, `name content next`, after the cursor `$after`.
   */
  reply?: 'file';
  /** The media types of the file; CSV by default. */
  fileTypes?: readonly string[];
  /** Payload paths, through lists (`items.enrichedData`), whose null values are omitted. */
  omitNull?: readonly string[];
  /** Key of an object in each entry of the payload. Its fields also appear in the entry, after the entry's own fields. */
  flatten?: string;
  requires?: Requirement;
  /** Error codes in addition to those of the surface, optionally with their documented messages. */
  errors?: readonly ErrorCode[] | Partial<Record<ErrorCode, string>>;
  /** HTTP statuses that differ from those of the surface. */
  statuses?: Statuses;
  headers?: Readonly<Record<string, string>>;
  /** Name of the MCP tool; by default derived from the operation. */
  toolName?: string;
}

/** The size of a limit in a message. */
export const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;

/** Limits of uploaded files. One invalid file rejects the whole request. */
export interface FileLimits {
  count: number;
  /** Maximum bytes of one file. */
  bytes: number;
  /** Maximum bytes of all files. */
  total: number;
  /** Accepted MIME types, as declared by the caller. */
  types: readonly string[];
  /** Accept a form without files. */
  optional?: true;
}

/** A JSON object that is the data of an event. `{message}` is replaced. */
export type EventData = Readonly<Record<string, string>>;

/** The format of a row that answers with server-sent events. */
export interface StreamFormat {
  /** Key of the payload that is sent; default: the whole payload. */
  data?: string;
  /** Response headers, with the key of the first payload that each contains. */
  headers?: Readonly<Record<string, string>>;
  /** Data of the last event. */
  end?: string;
  /** Events that report an error after the stream has started. */
  failure?: readonly EventData[];
  /** Events of type `open` that need one of type `close` with the same `key`. An error closes them before it is reported. */
  pair?: { open: string; close: string; key: string };
  /** Documents the status 204 of a stream without events. */
  none?: string;
  /** How the events become the result of one MCP tool call; default: the last event. */
  result?: StreamResult;
}

export interface StreamResult {
  /** Join this key of the parts of this type to the field `text`. The parts are under `data` of the format. */
  text?: { type: string; key: string };
  /** Paths in the payload that hold the progress so far and its total. */
  progress?: { done: string; total: string };
}

/** The cursor variable of rows with `reply: 'file'`. Callers cannot set it. */
export const CURSOR = 'after';

export interface Table {
  surface: Surface;
  rows: Record<Key, Row>;
  tools?: ToolGroups;
}

/** @param tools groups of the MCP tools of the rows; default: those of the surface */
export function table<K extends Key>(surface: Surface, rows: Record<K, Row>, tools = surface.tools): Table {
  return { surface, rows, ...(tools && { tools }) };
}

/** A row with its resolved method and path. */
export interface Route {
  /** Method and full path: `POST /api/{organization}/products/create`, with `#action` if the path is shared. */
  name: string;
  method: Verb;
  /** The path with parameters as `{name}`. */
  path: string;
  /** The path with parameters as `:name`. */
  url: string;
  params: string[];
  /** The `action` in the body that selects this row, on a shared path. */
  action?: string;
  surface: Surface;
  row: Row;
  tools?: ToolGroups;
}

/** The access requirement of a row; the default is that of its surface. */
export const requirementOf = ({ row, surface }: Pick<Route, 'row' | 'surface'>): Requirement => row.requires ?? surface.requires;

/** The format of the success bodies of a row; the default is that of its surface. */
export const envelopeOf = ({ row, surface }: Pick<Route, 'row' | 'surface'>): Envelope => row.envelope ?? surface.envelope;

export function routes({ surface, rows, tools }: Table): Route[] {
  return Object.entries(rows).map(([key, row]) => {
    const [place, action] = key.split('#') as [string, string?];
    const [method, relative] = place.split(' ') as [Verb, string];
    const path = braced(surface.base + (relative === '/' ? '' : relative));
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const name = `${method} ${path}${action ? `#${action}` : ''}`;
    return {
      name,
      method,
      path,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      params,
      surface,
      row,
      ...(tools && { tools }),
      ...(action && { action }),
    };
  });
}

/** Group routes by method and path. */
export const groupByPath = <T>(all: readonly T[], routeOf: (each: T) => Route): T[][] => [
  ...Map.groupBy(all, (each) => `${routeOf(each).method} ${routeOf(each).path}`).values(),
];

const braced = (path: string) => path.replace(/:(\w+)/g, '{$1}');
