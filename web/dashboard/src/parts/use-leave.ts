import { type NavigateOptions, useNavigate } from 'react-router';
import { isFirstPage } from './guarded-history.ts';
import { discardUnsaved } from './unsaved.ts';

/** Navigations that drop unsaved edits without a question: after a save or a deletion, and by a cancel button. */
export function useLeave() {
  const navigate = useNavigate();
  return {
    leaveTo(path: string, options?: NavigateOptions) {
      discardUnsaved();
      navigate(path, options);
    },
    /** @param parent the page to show if none precedes this one */
    goBack(parent: string) {
      discardUnsaved();
      if (isFirstPage()) navigate(parent, { replace: true });
      else navigate(-1);
    },
  };
}
