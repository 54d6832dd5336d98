import { useState } from 'react';
import {
  type AnyVariables,
  type CombinedError,
  type UseQueryArgs,
  type UseQueryExecute,
  type UseQueryState,
  useQuery as useUrqlQuery,
} from 'urql';
import { isExcluded } from './graph-client.ts';

type State<Data, Variables extends AnyVariables> = UseQueryState<Data, Variables> & {
  /** The data are those of an earlier read, because the last one failed. */
  isOutdated: boolean;
};

interface Last<Data> {
  key?: number;
  data?: Data;
  error?: CombinedError;
}

/**
 * Read a query and follow its data. After a failed read, the last data of the same query stay, also while it is repeated. Without them, a
 * page would lose what was typed and show lists as empty. The error stays until a read succeeds. When another query brings the same
 * objects, the cache repeats the old data without the error, which is no read.
 */
export function useQuery<Data, Variables extends AnyVariables>(
  options: UseQueryArgs<Variables, Data>,
): [State<Data, Variables>, UseQueryExecute] {
  const [state, read] = useUrqlQuery<Data, Variables>(options);
  const { operation } = state;
  const [last, setLast] = useState<Last<Data>>({});
  const known: Last<Data> = last.key === operation?.key ? last : {};
  const isCached = state.data !== undefined && operation?.context.meta?.cacheOutcome === 'hit';
  const error = state.error ?? (isCached ? known.error : undefined);
  const isHidden = error !== undefined && isExcluded(error);
  const isOld = !state.data || (isCached && error !== undefined);
  const data = isOld && isHidden ? undefined : (state.data ?? known.data);
  const next = { key: operation?.key, data, error };
  if (next.key !== last.key || next.data !== last.data || (next.error !== last.error && !state.fetching)) setLast(next);
  return [{ ...state, data, error, isOutdated: isOld && data !== undefined }, read];
}
