import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Store } from '../chat/store.ts';

/** The state of a store. The component renders again after each change. */
export function useStore<S extends object>(store: Store<S>): S {
  const [state, setState] = useState(store.state);
  useLayoutEffect(() => {
    setState(store.state);
    return store.subscribe(() => setState(store.state));
  }, [store]);
  return state;
}

/** Seconds until a time in milliseconds, counted down; 0 afterwards. */
export function useCountdown(until: number | undefined): number {
  const secondsLeft = () => Math.max(0, Math.ceil(((until ?? 0) - Date.now()) / 1_000));
  const [seconds, setSeconds] = useState(secondsLeft);
  useEffect(() => {
    setSeconds(secondsLeft());
    if (secondsLeft() === 0) return;
    const timer = setInterval(() => {
      setSeconds(secondsLeft());
      if (secondsLeft() === 0) clearInterval(timer);
    }, 500);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}
