import { type RefObject, useEffect, useState } from 'react';

/** Milliseconds after which React has removed a closed dialog. */
const REMOVAL = 10;

/**
 * Remember the element that has the focus; for an entry of a menu, the button of the menu. The result gives the focus back to it, unless
 * something else has taken it. If the element no longer exists, the content of the page gets the focus.
 */
export function rememberFocus(): () => void {
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
