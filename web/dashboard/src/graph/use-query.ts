import { useState } from 'react';
import { type AnyVariables, type UseQueryArgs, type UseQueryExecute, type UseQueryState, useQuery as useUrqlQuery } from 'urql';
import { isExcluded } from './client.ts';

type State<Data, Variables extends AnyVariables> = UseQueryState<Data, Variables> & {
  /** The last read failed, and the data are those of an earlier one. */
  isOutdated: boolean;
};

/**
 * Read a query and follow its data. After a failed read, the last data of the same query stay beside the error. Without them, a page would
 * lose what was typed and show lists as empty.
 */
export function useQuery<Data, Variables extends AnyVariables>(
  options: UseQueryArgs<Variables, Data>,
): [State<Data, Variables>, UseQueryExecute] {
  const [state, read] = useUrqlQuery<Data, Variables>(options);
  const { data, error, operation } = state;
  const [last, setLast] = useState<{ key?: number; data: Data }>();
  if (data && last?.data !== data) setLast({ key: operation?.key, data });
  const isOutdated = !data && !!error && !isExcluded(error) && last !== undefined && last.key === operation?.key;
  return [{ ...state, data: isOutdated ? last.data : data, isOutdated }, read];
}
