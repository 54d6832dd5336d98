import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, type TypedDocumentNode, useClient } from 'urql';
import type { Rows } from '../parts/data-table.tsx';

const SIZE = 50;
/** Rows before the end at which older rows are read. */
const AHEAD = 20;

/**
 * Rows of a list that is read from the newest row to older ones. The document takes `$before` and `$limit`.
 * @param timeOf the time that sorts the list
 */
export function useOlder<Data, Variables extends { before?: unknown; limit?: unknown }, Row>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Omit<Variables, 'before' | 'limit'>,
  pick: (data: Data) => Row[],
  timeOf: (row: Row) => string,
): Rows<Row> {
  const client = useClient();
  const key = JSON.stringify(variables);
  const [wanted, setWanted] = useState(1);
  const [attempt, setAttempt] = useState(0);
  const [list, setList] = useState<{ key: string; pages: Row[][]; error?: CombinedError }>({ key, pages: [] });
  const functions = useRef({ pick, timeOf });
  functions.current = { pick, timeOf };
  const fresh = useRef({ name: '', pages: 0 });

  useEffect(() => {
    const name = `${key} ${attempt}`;
    if (fresh.current.name !== name) fresh.current = { name, pages: 0 };
    const stops: (() => void)[] = [];
    const cursors: (string | null)[] = [];
    const follow = (page: number, before: string | null) => {
      if (page >= wanted || cursors[page] === before) return;
      for (let later = page; later < stops.length; later++) stops[later]!();
      cursors.length = page;
      cursors[page] = before;
      const all = { ...JSON.parse(key), before, limit: SIZE } as unknown as Variables;
      const requestPolicy = page < fresh.current.pages ? 'cache-first' : 'cache-and-network';
      fresh.current.pages = Math.max(fresh.current.pages, page + 1);
      const { unsubscribe } = client.query(document, all, { requestPolicy }).subscribe(({ data, error }) => {
        if (!data) return setList((old) => ({ key, pages: old.key === key ? old.pages : [], error }));
        const rows = functions.current.pick(data);
        setList((old) => {
          const pages = old.key === key ? [...old.pages] : [];
          pages[page] = rows;
          return { key, pages: rows.length < SIZE ? pages.slice(0, page + 1) : pages };
        });
        // A page starts where the one before ends, also after new rows have moved that end.
        if (rows.length === SIZE) follow(page + 1, functions.current.timeOf(rows.at(-1)!));
      });
      stops[page] = unsubscribe;
    };
    follow(0, null);
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, document, key, wanted, attempt]);

  const rows = list.pages.flat();
  const { length } = rows;
  const hasMore = length > 0 && list.pages.at(-1)?.length === SIZE;
  const onRange = useCallback(
    (_: number, last: number) => {
      if (hasMore && last >= length - AHEAD) setWanted(length / SIZE + 1);
    },
    [hasMore, length],
  );
  return {
    count: list.key === key && list.pages.length === 0 ? undefined : length,
    at: (index) => rows[index],
    onRange,
    isStale: list.key !== key,
    error: list.key === key ? list.error : undefined,
    retry: useCallback(() => setAttempt((before) => before + 1), []),
  };
}
