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
}

/**
 * Negotiate the media type from the `Accept` header; undefined when none is acceptable. A named type wins over a wildcard. Of two
 * equally named types, `application/graphql-response+json` wins; a wildcard alone means plain JSON.
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

/** Rank a media type by its most specific range: first by quality, then by specificity. 0 means not acceptable. */
function rank(ranges: readonly Range[], media: Media): number {
  for (const [place, pattern] of [media, 'application/*', '*/*'].entries()) {
    const range = ranges.find(({ type }) => type === pattern);
    if (range) return range.quality === 0 ? 0 : range.quality * 10_000 - place;
  }
  return 0;
}

/** Parse one range of the header. Responses are UTF-8, so a range with another charset is ignored. */
function readRange(part: string): Range[] {
  const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
  const parameter = (name: string) => parameters.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  const quality = Number(parameter('q') ?? 1);
  const isValid = type !== '' && quality >= 0 && quality <= 1 && isUtf8(parameter('charset'));
  return isValid ? [{ type, quality }] : [];
}

/** Whether a charset is UTF-8, the default when it is absent. */
export const isUtf8 = (charset: string | undefined): boolean => charset === undefined || /^"?utf-?8"?$/i.test(charset);
