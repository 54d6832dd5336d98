/** The cache policy of a subgraph response. */
export interface CacheHint {
  maxAge: number;
  scope?: 'PUBLIC' | 'PRIVATE';
}

/** Parse a `Cache-Control` header. A response without `max-age` is not cacheable. */
export function cacheHintIn(header: string | null | undefined): CacheHint {
  const directives = new Map(
    (header ?? '').split(',').map((each): [string, string] => {
      const [name = '', value = ''] = each.trim().toLowerCase().split('=', 2);
      return [name, value.replaceAll('"', '')];
    }),
  );
  const age = directives.get('max-age');
  const isCacheable = age !== undefined && /^\d+$/.test(age) && !directives.has('no-store') && !directives.has('no-cache');
  const hint: CacheHint = { maxAge: isCacheable ? Number(age) : 0 };
  if (directives.has('private')) hint.scope = 'PRIVATE';
  else if (directives.has('public')) hint.scope = 'PUBLIC';
  return hint;
}
