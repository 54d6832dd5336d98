import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import type { AttributeSubject } from '../../.graph/graphql.ts';

type Choices<State> = { [Key in keyof State]?: readonly string[] };

/**
 * State in the query string, so that reload, links and the back button preserve it. Defaults are omitted from the address.
 * @param defaults all keys; a constant of the module
 * @param choices the values of the keys that have no others; the default replaces any other in the address
 */
export function useUrlState<State extends Record<string, string>>(defaults: State, choices: Choices<State> = {}) {
  const [parameters, setParameters] = useSearchParams();
  const read = (key: string) => {
    const value = parameters.get(key);
    return value === null || choices[key]?.includes(value) === false ? defaults[key] : value;
  };
  const state = Object.fromEntries(Object.keys(defaults).map((key) => [key, read(key)])) as { [Key in keyof State]: string };
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
  /** The properties of an input of one of the keys. */
  const bind = (key: keyof State & string) => ({
    value: state[key],
    onChange: (value: string) => change({ [key]: value } as Partial<Record<keyof State, string>>),
  });
  return [state, change, bind] as const;
}

const subjects = ['product', 'brand', 'category'] as const;
const DEFAULTS = { subject: 'product' };
const CHOICES = { subject: subjects };

/** The records whose attributes a page shows, from the address. */
export function useSubject() {
  const [{ subject }, change] = useUrlState(DEFAULTS, CHOICES);
  return [subject as AttributeSubject, (next: AttributeSubject) => change({ subject: next })] as const;
}
