import { useEffect } from 'react';
import { useConfirm } from '../parts/confirm.ts';
import { askBeforeLeaving } from '../parts/guarded-history.ts';
import { useStrings } from '../strings/strings.tsx';

/** Asks before a navigation that would lose the edits of a form. */
export function UnsavedGuard() {
  const { layout } = useStrings();
  const confirm = useConfirm();
  // The functions are new after each render, so the last one asks.
  useEffect(() =>
    askBeforeLeaving(() => confirm({ title: layout.unsavedTitle, text: layout.unsavedText, action: layout.leave, danger: true })),
  );
  return null;
}
