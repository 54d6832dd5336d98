import { Anchor, Group } from '@mantine/core';
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useState } from 'react';
import { useStrings } from '../strings/strings.tsx';

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

/** Milliseconds after which React has removed a closed dialog. */
const REMOVAL = 10;

/**
 * Remember the element that has the focus; for an entry of a menu, the button of the menu. The result gives the focus back to it, unless
 * something else has taken it. If the element no longer exists, the content of the page gets the focus.
 */
function rememberFocus(): () => void {
  const opener = openerOf(document.activeElement);
  return () => {
    const closing = document.activeElement;
    setTimeout(() => {
      const active = document.activeElement;
      if (active && active !== document.body && active !== closing) return;
      const target = opener?.isConnected ? opener : document.getElementById('content');
      target?.focus({ preventScroll: true });
    }, REMOVAL);
  };
}

function openerOf(element: Element | null): HTMLElement | null {
  const button = document.getElementById(element?.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? '');
  return button ?? (element instanceof HTMLElement && element !== document.body ? element : null);
}

/** Gives the focus back to the opener of a dialog when the dialog unmounts. The component library does so only for dialogs that stay mounted. */
export function useFocusReturn(): void {
  const [giveBack] = useState(rememberFocus);
  useEffect(() => giveBack, [giveBack]);
}

/** Gives the focus to an element when the focused element within it is removed, such as a deleted row. */
export function useKeptFocus(within: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = within.current!;
    let focused: Element | null = null;
    const onFocus = ({ target }: FocusEvent) => {
      focused = target as Element;
    };
    const onBlur = () => {
      const left = focused;
      // A removed element may lose the focus before it is removed.
      setTimeout(() => {
        if (left === focused && left?.isConnected) focused = null;
      });
    };
    const observer = new MutationObserver(() => {
      if (!focused || focused.isConnected) return;
      focused = null;
      if (document.activeElement === document.body) root.focus({ preventScroll: true });
    });
    root.addEventListener('focusin', onFocus);
    root.addEventListener('focusout', onBlur);
    observer.observe(root, { childList: true, subtree: true });
    return () => {
      root.removeEventListener('focusin', onFocus);
      root.removeEventListener('focusout', onBlur);
      observer.disconnect();
    };
  }, [within]);
}
