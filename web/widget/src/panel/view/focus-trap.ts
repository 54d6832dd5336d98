const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex="0"]';

/** Keep the Tab key within an element of a shadow root. */
export function trapFocus(event: KeyboardEvent, root: HTMLElement): void {
  if (event.key !== 'Tab') return;
  const all = [...root.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((each) => each.checkVisibility());
  const [first, last] = [all[0], all.at(-1)];
  const { activeElement } = root.getRootNode() as ShadowRoot;
  const isAtEnd = activeElement === (event.shiftKey ? first : last) || activeElement === root;
  if (!isAtEnd) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
