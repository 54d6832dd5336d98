import type { ReactNode } from 'react';
import { useStrings } from '../strings/strings.tsx';
import { rememberFocus } from './focus.ts';
import { openOverlays } from './overlay-host.tsx';

interface Question {
  title: string;
  text: ReactNode;
  /** The label of the button, as a verb. */
  action: string;
  /** The action cannot be undone. */
  danger?: boolean;
}

/** Number of questions that are open. */
let open = 0;

export const isAsking = (): boolean => open > 0;

/** Returns a function that asks before an action, and resolves to the decision. */
export function useConfirm() {
  const { actions } = useStrings();
  return async ({ title, text, action, danger }: Question): Promise<boolean> => {
    const giveFocusBack = rememberFocus();
    const [{ modals }] = await Promise.all([import('@mantine/modals'), openOverlays()]);
    open += 1;
    try {
      return await new Promise((resolve) =>
        modals.openConfirmModal({
          title,
          children: text,
          labels: { confirm: action, cancel: actions.cancel },
          confirmProps: danger ? { color: 'red' } : {},
          onConfirm: () => resolve(true),
          onClose() {
            resolve(false);
            giveFocusBack();
          },
        }),
      );
    } finally {
      // After the event that closes it has reached the dialogs below.
      setTimeout(() => {
        open -= 1;
      });
    }
  };
}
