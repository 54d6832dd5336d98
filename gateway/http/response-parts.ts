import { Readable } from 'node:stream';
import type { DeferredEvent, DeferredPart, PartPlace } from '../source-contract.ts';
import { type Outcome, type Present, textOf } from './response-text.ts';

/**
 * The two formats of a response in parts. That of 2022, for Apollo Client and Apollo Router, identifies a part by its path. The current draft of
 * incremental delivery identifies it by an id.
 */
export type PartsFormat = 'deferSpec=20220824' | 'incrementalSpec=v0.2';

/** Negotiates the format from the `Accept` header: the draft, unless the client names the other; undefined if it accepts no parts. */
export function partsFormatFor(accept: string | undefined): PartsFormat | undefined {
  if (!accept?.includes('multipart/mixed')) return undefined;
  for (const range of accept.split(',')) {
    const [type, ...parameters] = range.split(';').map((each) => each.trim().toLowerCase().replaceAll('"', ''));
    if (type !== 'multipart/mixed' || parameters.some((each) => /^q=0(\.0*)?$/.test(each))) continue;
    return parameters.includes('deferspec=20220824') ? 'deferSpec=20220824' : 'incrementalSpec=v0.2';
  }
  return undefined;
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
