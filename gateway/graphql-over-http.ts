import { Readable } from 'node:stream';
import type { GraphQLFormattedError } from 'graphql';
import type { DeferredEvent, DeferredPart, FirstAnswer, PartPlace } from './source-contract.ts';

export { type Cost, costOf } from './documents/cost.ts';
export { type Check, createCheck, Faults, readDocument } from './documents/document-check.ts';
export { defaultLimits, type Limits } from './documents/document-limits.ts';
export {
  hashIn,
  hashOf,
  type Manifest,
  type ManifestOperation,
  readManifest,
  type TrustedDocuments,
  trustDocuments,
} from './documents/manifest.ts';

/** The media types of GraphQL responses. They differ in the meaning of the HTTP status. */
export type Media = 'application/graphql-response+json' | 'application/json';

export const contentTypes: Record<Media, string> = {
  'application/json': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
};

const GRAPHQL: Media = 'application/graphql-response+json';
const JSON_TEXT: Media = 'application/json';

interface Range {
  type: string;
  quality: number;
  /** In lower case, without quotes. */
  parameters: string[];
}

/**
 * Negotiate the media type from the `Accept` header; undefined when none is acceptable. A named type wins over a wildcard. Of two
 * equally named types, `application/graphql-response+json` wins; a wildcard alone means plain JSON.
 */
export function mediaFor(accept: string | undefined): Media | undefined {
  if (accept === undefined || accept === '' || accept === '*/*') return JSON_TEXT;
  if (accept === JSON_TEXT || accept === GRAPHQL) return accept;

  const ranges = accept.split(',').flatMap(readRange);
  const [graphql, json] = [preferenceOf(ranges, GRAPHQL).rank, preferenceOf(ranges, JSON_TEXT).rank];
  if (graphql === 0 && json === 0) return undefined;
  if (graphql !== json) return graphql > json ? GRAPHQL : JSON_TEXT;
  return ranges.some(({ type }) => type === GRAPHQL) ? GRAPHQL : JSON_TEXT;
}

/** The quality of a media type by its most specific range, and the specificity of that range; 0 means not acceptable. */
function preferenceOf(ranges: readonly Range[], media: Media): { quality: number; rank: number } {
  for (const [place, pattern] of [media, 'application/*', '*/*'].entries()) {
    const range = ranges.find(({ type }) => type === pattern);
    if (range) return { quality: range.quality, rank: range.quality === 0 ? 0 : range.quality * 10_000 - place };
  }
  return { quality: 0, rank: 0 };
}

/** Parse one range of the header. Responses are UTF-8, so a range with another charset is ignored. */
function readRange(part: string): Range[] {
  const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase().replaceAll('"', ''));
  const parameter = (name: string) => parameters.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  const quality = Number(parameter('q') ?? 1);
  const isValid = type !== '' && quality >= 0 && quality <= 1 && isUtf8(parameter('charset'));
  return isValid ? [{ type, quality, parameters }] : [];
}

/** Whether a charset is UTF-8, the default when it is absent. */
export const isUtf8 = (charset: string | undefined): boolean => charset === undefined || /^"?utf-?8"?$/i.test(charset);

/**
 * The two formats of a response in parts. That of 2022, for Apollo Client and Apollo Router, identifies a part by its path. The current draft of
 * incremental delivery identifies it by an id.
 */
export type PartsFormat = 'deferSpec=20220824' | 'incrementalSpec=v0.2';

const PARTS = 'multipart/mixed';

/**
 * Negotiates the format from the `Accept` header: the draft, unless the client names the other. Undefined if the client accepts no parts, or
 * prefers a whole response by its quality values.
 */
export function partsFormatFor(accept = ''): PartsFormat | undefined {
  if (!accept.toLowerCase().includes(PARTS)) return undefined;
  const ranges = accept.split(',').flatMap(readRange);
  const [parts] = ranges.filter(({ type }) => type === PARTS).toSorted((a, b) => b.quality - a.quality);
  const whole = Math.max(preferenceOf(ranges, GRAPHQL).quality, preferenceOf(ranges, JSON_TEXT).quality);
  if (!parts || parts.quality === 0 || parts.quality < whole) return undefined;
  return parts.parameters.includes('deferspec=20220824') ? 'deferSpec=20220824' : 'incrementalSpec=v0.2';
}

/** Yield the JSON of each part of a response, the first answer first. */
export async function* partsOf(outcome: Outcome, format: PartsFormat, present: Present): AsyncGenerator<string, void> {
  const { deferred } = outcome;
  const first = textOf(outcome, present).slice(0, -1);
  const isDraft = format === 'incrementalSpec=v0.2';
  const pending = deferred && isDraft ? `,"pending":${JSON.stringify(deferred.pending.map(placeOf))}` : '';
  const write = isDraft ? writeDraft : write2022;
  try {
    yield `${first}${pending},"hasNext":${deferred !== undefined}}`;
    for await (const event of deferred?.events ?? []) yield write(event, present);
  } finally {
    // The consumer may leave after the first part.
    deferred?.events.end();
  }
}

function write2022({ completed, hasNext }: DeferredEvent, present: Present): string {
  const incremental = completed.map(
    (part) =>
      `{"data":${part.data},"path":${JSON.stringify(part.path)}${part.label === undefined ? '' : `,"label":${JSON.stringify(part.label)}`}${errorsOf(part, present)}}`,
  );
  return `{"incremental":[${incremental.join(',')}],"hasNext":${hasNext}}`;
}

function writeDraft({ completed, pending, hasNext }: DeferredEvent, present: Present): string {
  const incremental = completed
    .filter(({ data }) => data !== 'null')
    .map((part) => `{"id":"${part.id}","data":${part.data}${errorsOf(part, present)}}`);
  const ended = completed.map((part) => `{"id":"${part.id}"${part.data === 'null' ? errorsOf(part, present) : ''}}`);
  const parts = [
    ...(pending.length > 0 ? [`"pending":${JSON.stringify(pending.map(placeOf))}`] : []),
    ...(incremental.length > 0 ? [`"incremental":[${incremental.join(',')}]`] : []),
    `"completed":[${ended.join(',')}]`,
  ];
  return `{${parts.join(',')},"hasNext":${hasNext}}`;
}

const placeOf = ({ id, path, label }: PartPlace) => ({ id, path, ...(label !== undefined && { label }) });

const errorsOf = ({ errors }: DeferredPart, present: Present): string =>
  errors ? `,"errors":${JSON.stringify(errors.map((each) => present(each)))}` : '';

interface Multipart {
  readonly contentType: string;
  readonly body: Readable;
}

/** A response in parts as `multipart/mixed`. */
export function multipartOf(outcome: Outcome, format: PartsFormat, present: Present): Multipart {
  async function* body() {
    yield '\r\n---';
    for await (const part of partsOf(outcome, format, present))
      yield `\r\nContent-Type: application/json; charset=utf-8\r\n\r\n${part}\r\n---`;
    yield '--\r\n';
  }
  return { contentType: `multipart/mixed; boundary="-"; ${format}`, body: Readable.from(body()) };
}

/** The result of an execution, before its errors are masked. */
export interface Outcome extends FirstAnswer {
  extensions?: Record<string, unknown>;
}

/** Converts an error for callers. */
export type Present = (error: GraphQLFormattedError) => GraphQLFormattedError;

/** The JSON of an outcome, with its errors as callers see them. */
export function textOf({ data, errors: faults, extensions }: Outcome, present: Present): string {
  if (!faults && !extensions) return `{"data":${data}}`;
  const parts: string[] = [];
  if (faults) parts.push(`"errors":${JSON.stringify(faults.map((each) => present(each)))}`);
  if (data !== undefined) parts.push(`"data":${data}`);
  if (extensions) parts.push(`"extensions":${JSON.stringify(extensions)}`);
  return `{${parts.join(',')}}`;
}
