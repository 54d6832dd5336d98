import { useEffect } from 'react';
import {
  UNSAFE_createBrowserHistory as createBrowserHistory,
  type HistoryRouterProps,
  type NavigateOptions,
  type To,
  useNavigate,
} from 'react-router';

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

const hasUnsaved = (): boolean => forms.size > 0;

/** Call it before a navigation that follows a save, or that discards the edits on purpose. */
export function discardUnsaved(): void {
  forms.clear();
  window.removeEventListener('beforeunload', warn);
}

type History = HistoryRouterProps['history'];

const history = createBrowserHistory({ v5Compat: true });
let question: (() => Promise<boolean>) | undefined;
let isAsking = false;
/** Entries from the page that is shown to the address, while the address returns to that page. */
let offset = 0;

/** Whether no page of the dashboard precedes the one that is shown, as in a new tab. */
const isFirstPage = (): boolean => !window.history.state?.idx;

/** Sets the function that asks whether the user wants to lose unsaved edits. */
export function askBeforeLeaving(ask: () => Promise<boolean>): () => void {
  question = ask;
  return () => {
    question = undefined;
  };
}

/** Run a navigation after the user has agreed to lose unsaved edits. Drops it while a question is open. */
async function leave(navigate: () => void): Promise<void> {
  if (isAsking || !question) return;
  isAsking = true;
  const leaves = await question().finally(() => {
    isAsking = false;
  });
  if (!leaves) return;
  discardUnsaved();
  navigate();
}

const mustAsk = () => question !== undefined && hasUnsaved();

function navigateTo(to: To, navigate: () => void): void {
  const { pathname, search } = history.encodeLocation(to);
  const isHere = pathname === history.location.pathname && search === history.location.search;
  if (isHere || !mustAsk()) navigate();
  else void leave(navigate);
}

/**
 * The history of the browser, which asks before a navigation that would lose unsaved edits. `useBlocker` does the same, but needs a data
 * router, which would be a tenth of the code of the first page.
 */
export const guardedHistory: History = {
  get action() {
    return history.action;
  },
  get location() {
    return history.location;
  },
  createHref: history.createHref,
  createURL: history.createURL,
  encodeLocation: history.encodeLocation,
  go: history.go,
  push: (to, state) => navigateTo(to, () => history.push(to, state)),
  replace: (to, state) => navigateTo(to, () => history.replace(to, state)),
  listen: (listener) =>
    history.listen((update) => {
      const { action, delta } = update;
      if (offset !== 0) {
        const distance = Math.abs(offset);
        offset += delta ?? 0;
        // The user went on meanwhile.
        if (delta && Math.abs(offset) > distance) history.go(-delta);
        return;
      }
      if (action !== 'POP' || !delta || !mustAsk()) return listener(update);
      // The browser has already changed the address.
      offset = delta;
      history.go(-delta);
      void leave(() => history.go(delta));
    }),
};

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
