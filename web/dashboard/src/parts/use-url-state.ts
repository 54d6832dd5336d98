import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/**
 * State in the query string, so that reload, links and the back button preserve it. Defaults are omitted from the address.
 * @param defaults all keys; a constant of the module
 */
export function useUrlState<State extends Record<string, string>>(defaults: State) {
  const [parameters, setParameters] = useSearchParams();
  const state = Object.fromEntries(Object.keys(defaults).map((key) => [key, parameters.get(key) ?? defaults[key]])) as {
    [Key in keyof State]: string;
  };
  const change = useCallback(
    (changes: Partial<Record<keyof State, string>>) =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [key, value] of Object.entries(changes) as [string, string][]) {
            if (value === defaults[key]) after.delete(key);
            else after.set(key, value);
          }
          return after;
        },
        { replace: true },
      ),
    [defaults, setParameters],
  );
  return [state, change] as const;
}
