import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { useConfirm } from '../parts/confirm.ts';
import { hasUnsaved } from '../parts/unsaved.ts';
import { useStrings } from '../strings/strings.tsx';

/** Asks before a navigation that would lose the edits of a form. The router supports only one blocker, so forms register with this one. */
export function UnsavedGuard() {
  const { layout } = useStrings();
  const confirm = useConfirm();
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) => hasUnsaved() && (from.pathname !== to.pathname || from.search !== to.search),
  );
  const isBlocked = blocker.state === 'blocked';
  // biome-ignore lint/correctness/useExhaustiveDependencies: each blocked navigation asks once.
  useEffect(() => {
    if (!isBlocked) return;
    const question = { title: layout.unsavedTitle, text: layout.unsavedText, action: layout.leave, danger: true };
    void confirm(question).then((leaves) => (leaves ? blocker.proceed?.() : blocker.reset?.()));
  }, [isBlocked]);
  return null;
}
