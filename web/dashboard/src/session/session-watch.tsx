import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { onRefused, resumeGraphs } from '../graph/use-graph.ts';
import { discardUnsaved } from '../parts/unsaved.ts';
import { readSession } from './api.ts';
import { listenToTabs } from './tabs.ts';

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));
/** Milliseconds between two resumptions of one session. A server that refuses only the organization must cause no loop. */
const PAUSE = 30_000;

/** Leaves the page as it is when its session ends, so that nothing typed is lost. The user signs in in another tab and continues here. */
export function SessionWatch({ userId }: { userId: string }) {
  const [isEnded, setEnded] = useState(false);
  const check = useMemo(() => createCheck(userId, setEnded), [userId]);
  useEffect(() => onRefused(check), [check]);
  useEffect(() => {
    if (!isEnded) return;
    addEventListener('focus', check);
    const stop = listenToTabs((user) => user === userId && check());
    return () => {
      removeEventListener('focus', check);
      stop();
    };
  }, [isEnded, userId, check]);
  return (
    isEnded && (
      <Suspense>
        <SignInAgain onContinue={check} />
      </Suspense>
    )
  );
}

/** Returns a function that asks the server whether the session exists. If so, everything that was refused is sent again. */
function createCheck(userId: string, onChange: (isEnded: boolean) => void) {
  let [isEnded, isRunning, resumedAt] = [false, false, Number.NEGATIVE_INFINITY];
  async function decide() {
    const user = await readSession().catch(() => undefined);
    if (user === undefined) return;
    if (user && user.id !== userId) {
      discardUnsaved();
      return location.reload();
    }
    const wasEnded = isEnded;
    isEnded = user === null;
    onChange(isEnded);
    if (isEnded || (!wasEnded && performance.now() - resumedAt < PAUSE)) return;
    resumedAt = performance.now();
    resumeGraphs();
  }
  return async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    await decide();
    isRunning = false;
  };
}
