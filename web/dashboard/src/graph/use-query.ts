import { useState } from 'react';
import { type AnyVariables, type UseQueryArgs, type UseQueryExecute, type UseQueryState, useQuery as useUrqlQuery } from 'urql';
import { isExcluded } from './graph-client.ts';

type State<Data, Variables extends AnyVariables> = UseQueryState<Data, Variables> & {
  /** The data are those of an earlier read, because the last one failed. */
  isOutdated: boolean;
};

/**
 * Read a query and follow its data. After a failed read, the last data of the same query stay, also while it is repeated. Without them, a
 * page would lose what was typed and show lists as empty.
 */
export function useQuery<Data, Variables extends AnyVariables>(
  options: UseQueryArgs<Variables, Data>,
): [State<Data, Variables>, UseQueryExecute] {
  const [state, read] = useUrqlQuery<Data, Variables>(options);
  const { data, error, operation } = state;
  const [last, setLast] = useState<{ key?: number; data?: Data }>({});
  if (data && last.data !== data) setLast({ key: operation?.key, data });
  else if (error && isExcluded(error) && last.data) setLast({});
  const previous = last.key === operation?.key ? last.data : undefined;
  return [{ ...state, data: data ?? previous, isOutdated: !data && previous !== undefined }, read];
}
