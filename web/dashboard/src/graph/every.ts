import { useEffect, useEffectEvent } from 'react';

/** Repeat an action while the page is visible, and when it becomes visible again. For lists that have no subscription. */
export function useEvery(seconds: number, action: () => void): void {
  const run = useEffectEvent(() => {
    if (document.visibilityState === 'visible') action();
  });
  useEffect(() => {
    const timer = setInterval(run, seconds * 1_000);
    document.addEventListener('visibilitychange', run);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [seconds]);
}
