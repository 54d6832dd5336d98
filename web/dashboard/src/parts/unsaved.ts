import { useEffect } from 'react';

/** The mounted forms with unsaved edits. */
const forms = new Set<object>();
const warn = (event: BeforeUnloadEvent) => event.preventDefault();

/** Asks before the user leaves the page by a navigation or by closing the tab, while a form has unsaved edits. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const form = {};
    forms.add(form);
    window.addEventListener('beforeunload', warn);
    return () => {
      forms.delete(form);
      if (forms.size === 0) window.removeEventListener('beforeunload', warn);
    };
  }, [isDirty]);
}

export const hasUnsaved = (): boolean => forms.size > 0;

/** Call it before a navigation that follows a save, or that discards the edits on purpose. */
export function discardUnsaved(): void {
  forms.clear();
  window.removeEventListener('beforeunload', warn);
}
