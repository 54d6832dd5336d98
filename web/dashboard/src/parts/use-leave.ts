import { type NavigateOptions, useNavigate } from 'react-router';
import { discardUnsaved } from './unsaved.ts';

/** Navigations that drop unsaved edits without a question: after a save or a deletion, and by a cancel button. */
export function useLeave() {
  const navigate = useNavigate();
  return {
    leaveTo(path: string, options?: NavigateOptions) {
      discardUnsaved();
      navigate(path, options);
    },
    goBack() {
      discardUnsaved();
      navigate(-1);
    },
  };
}
