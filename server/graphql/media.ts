/** The two ways in which a response of GraphQL may be labelled; they differ in what a status means. */
export type Media = 'application/graphql-response+json' | 'application/json';

const GRAPHQL: Media = 'application/graphql-response+json';
const JSON_TEXT: Media = 'application/json';

interface Range {
  type: string;
  quality: number;
}

/**
 * What a caller reads best, by its `Accept` header; undefined when there is nothing it reads. What is named counts before what
 * a wildcard allows, and of two that are named alike the one whose status tells more; a wildcard means plain JSON.
 */
export function mediaFor(accept: string | undefined): Media | undefined {
  if (accept === undefined || accept === '' || accept === '*/*') return JSON_TEXT;
  if (accept === JSON_TEXT || accept === GRAPHQL) return accept;

  const ranges = accept.split(',').flatMap(readRange);
  const [graphql, json] = [rank(ranges, GRAPHQL), rank(ranges, JSON_TEXT)];
  if (graphql === 0 && json === 0) return undefined;
  if (graphql !== json) return graphql > json ? GRAPHQL : JSON_TEXT;
  return ranges.some(({ type }) => type === GRAPHQL) ? GRAPHQL : JSON_TEXT;
}

/** The most specific range decides about a type, also when it forbids it; above equal qualities it is its rank. */
function rank(ranges: readonly Range[], media: Media): number {
  for (const [place, pattern] of [media, 'application/*', '*/*'].entries()) {
    const range = ranges.find(({ type }) => type === pattern);
    if (range) return range.quality === 0 ? 0 : range.quality * 10_000 - place;
  }
  return 0;
}

/** One part of the header. Text is UTF-8 here, so a range that wants another charset allows nothing. */
function readRange(part: string): Range[] {
  const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
  const parameter = (name: string) => parameters.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  const quality = Number(parameter('q') ?? 1);
  const sound = type !== '' && quality >= 0 && quality <= 1 && isUtf8(parameter('charset'));
  return sound ? [{ type, quality }] : [];
}

/** Whether a charset is the one that JSON is written in; none is. */
export const isUtf8 = (charset: string | undefined): boolean => charset === undefined || /^"?utf-?8"?$/i.test(charset);
