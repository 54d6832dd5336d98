import { Anchor, Group } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useStrings } from '../strings/strings.tsx';
import { rememberFocus } from './focus.ts';

const Overlays = lazy(async () => ({ default: (await import('./overlay-provider.tsx')).Overlays }));
const wanted = Promise.withResolvers<void>();
const mounted = Promise.withResolvers<void>();

/** Load the code of toasts and dialogs, which the first page does not need. Resolves when they can be shown. */
function openOverlays(): Promise<void> {
  wanted.resolve();
  return mounted.promise;
}

/** Renders toasts and dialogs once one of them is needed. */
export function OverlayHost() {
  const [open, setOpen] = useState(false);
  useEffect(() => void wanted.promise.then(() => setOpen(true)), []);
  return (
    open && (
      <Suspense>
        <Overlays onMounted={mounted.resolve} />
      </Suspense>
    )
  );
}

async function show(options: { id?: string; message: ReactNode; color: string; autoClose?: number }) {
  const [{ notifications }] = await Promise.all([import('@mantine/notifications'), openOverlays()]);
  notifications.show(options);
}

/** Confirms a finished action. */
export const showDone = (message: string) => void show({ message, color: 'teal' });

let undoCount = 0;

/** Confirms an action that the button of the toast undoes. */
export function showUndo(message: string, label: string, undo: () => void): void {
  undoCount += 1;
  const id = `undo-${undoCount}`;
  const press = async () => {
    (await import('@mantine/notifications')).notifications.hide(id);
    undo();
  };
  const content = (
    <Group justify="space-between" gap="sm">
      {message}
      <Anchor component="button" type="button" onClick={press}>
        {label}
      </Anchor>
    </Group>
  );
  void show({ id, message: content, color: 'teal', autoClose: 15_000 });
}

/** Shows why an action failed. Repeated messages share one toast. */
export const showProblem = (message: string) => void show({ id: message, message, color: 'red', autoClose: 10_000 });

export interface Question {
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
