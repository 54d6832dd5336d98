import { useThrottledValue } from '@mantine/hooks';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { type CombinedError, type TypedDocumentNode, useClient } from 'urql';
import type { Rows } from '../parts/data-table.tsx';

/** Rows of a page of a long list. */
export const PAGE_SIZE = 50;
/** Milliseconds without scrolling before rows are read, so that a drag of the scroll bar reads only its end. */
const PAUSE = 80;
/** Milliseconds between two reads of a list that changes. */
const READ_PAUSE = 2_000;

interface Page<Row> {
  nodes: Row[];
  pagination: { total: number };
}

interface List<Row> {
  key: string;
  pages: ReadonlyMap<number, Row[]>;
  /** The total of the last answer, because pages out of sight are not read again. */
  total?: number;
  /** The pages whose last read failed. */
  errors: ReadonlyMap<number, CombinedError>;
}

const emptyList = <Row>(key: string): List<Row> => ({ key, pages: new Map(), errors: new Map() });

/**
 * Rows of a long list, read by page as they scroll into view. The visible pages follow changes in the cache.
 * @param document takes `$page` and `$limit`
 * @param variables the other variables; pass `null` to read nothing
 */
export function usePages<Data, Variables extends { page?: number | null; limit?: number | null }, Row>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Omit<Variables, 'page' | 'limit'>,
  pick: (data: Data) => Page<Row>,
): Rows<Row> {
  const client = useClient();
  const key = JSON.stringify(variables);
  const [[first, last], setPages] = useState([0, 0]);
  const [list, setList] = useState<List<Row>>(emptyList(key));
  const [attempt, setAttempt] = useState(0);
  const reads = useRef({ key: '', of: new Map<number, () => void>() });
  const pickRef = useRef(pick);
  pickRef.current = pick;

  useEffect(() => {
    const stopAll = () => {
      for (const stop of reads.current.of.values()) stop();
      reads.current = { key: '', of: new Map() };
    };
    const name = `${key} ${attempt}`;
    if (reads.current.key !== name) stopAll();
    reads.current.key = name;
    const { of } = reads.current;
    for (const [page, stop] of of) {
      if (page >= first && page <= last) continue;
      stop();
      of.delete(page);
    }
    for (let page = first; page <= last; page++) {
      if (of.has(page)) continue;
      const all = { ...JSON.parse(key), page: page + 1, limit: PAGE_SIZE } as Variables;
      const { unsubscribe } = client.query(document, all).subscribe(({ data, error }) =>
        setList((before) => {
          const list = before.key === key ? before : emptyList<Row>(key);
          if (!data) return error ? { ...list, errors: new Map(list.errors).set(page, error) } : list;
          const { nodes, pagination } = pickRef.current(data);
          const errors = new Map([...list.errors].filter(([failed]) => failed !== page));
          return { key, pages: new Map(list.pages).set(page, nodes), total: pagination.total, errors };
        }),
      );
      of.set(page, unsubscribe);
    }
  }, [client, document, key, first, last, attempt]);
  useEffect(
    () => () => {
      for (const stop of reads.current.of.values()) stop();
      reads.current = { key: '', of: new Map() };
    },
    [],
  );

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onRange = useCallback((start: number, end: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const [from, to] = [Math.floor(start / PAGE_SIZE), Math.floor(end / PAGE_SIZE)];
      setPages((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    }, PAUSE);
  }, []);

  return {
    count: list.total,
    at: (index) => list.pages.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE],
    onRange,
    isStale: list.key !== key,
    error: list.key === key ? [...list.errors].find(([page]) => page >= first && page <= last)?.[1] : undefined,
    retry: () => setAttempt((before) => before + 1),
  };
}

/** Read the visible rows again after the version of a list has changed, at most every two seconds. */
export function useReread({ retry }: Pick<Rows<unknown>, 'retry'>, version: string): void {
  const current = useThrottledValue(version, READ_PAUSE);
  const last = useRef(version);
  const read = useEffectEvent(() => retry?.());
  useEffect(() => {
    if (current === last.current) return;
    last.current = current;
    read();
  }, [current]);
}

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
      const all = { ...JSON.parse(key), before, limit: PAGE_SIZE } as unknown as Variables;
      const requestPolicy = page < fresh.current.pages ? 'cache-first' : 'cache-and-network';
      fresh.current.pages = Math.max(fresh.current.pages, page + 1);
      const { unsubscribe } = client.query(document, all, { requestPolicy }).subscribe(({ data, error }) => {
        if (!data) return setList((old) => ({ key, pages: old.key === key ? old.pages : [], error }));
        const rows = functions.current.pick(data);
        setList((old) => {
          const pages = old.key === key ? [...old.pages] : [];
          pages[page] = rows;
          return { key, pages: rows.length < PAGE_SIZE ? pages.slice(0, page + 1) : pages };
        });
        // A page starts where the one before ends, also after new rows have moved that end.
        if (rows.length === PAGE_SIZE) follow(page + 1, functions.current.timeOf(rows.at(-1)!));
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
  const hasMore = length > 0 && list.pages.at(-1)?.length === PAGE_SIZE;
  const onRange = useCallback(
    (_: number, last: number) => {
      if (hasMore && last >= length - AHEAD) setWanted(length / PAGE_SIZE + 1);
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
