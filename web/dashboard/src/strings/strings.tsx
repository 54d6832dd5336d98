import { MantineThemeProvider } from '@mantine/core';
import { createContext, type ReactNode, use, useContext, useMemo, useState } from 'react';
import type { FirstStrings, OnDemandStrings, Strings } from './en/index.ts';
import { Formats } from './formats.ts';

/** Each language with its own name. Its strings load when it is chosen. */
export const languages = {
  en: {
    name: 'English',
    loadFirst: () => import('./en/index.ts').then(({ en }): FirstStrings => en),
    loadOnDemand: (): Promise<OnDemandStrings> => import('./en/on-demand.ts'),
  },
  de: {
    name: 'Deutsch',
    loadFirst: () => import('./de/index.ts').then(({ de }): FirstStrings => de),
    loadOnDemand: (): Promise<OnDemandStrings> => import('./de/on-demand.ts'),
  },
};
export type Language = keyof typeof languages;

const STORED = 'language';
const loaded = new Map<Language, Promise<FirstStrings>>();
const onDemand = new Map<Language, OnDemandStrings | Promise<OnDemandStrings>>();

const load = (language: Language) => {
  if (!loaded.has(language)) loaded.set(language, languages[language].loadFirst());
  return loaded.get(language)!;
};

/** The strings of a language, and its formats of numbers and times. */
type LanguageStrings = Strings & { formats: Formats };

/** The first strings, and the others at their first use. A component that is rendered before they are here suspends. */
const withOnDemand = (language: Language, first: FirstStrings) =>
  new Proxy({ ...first, formats: new Formats(language) } as LanguageStrings, {
    get(strings, name) {
      if (typeof name === 'symbol' || name in strings) return Reflect.get(strings, name);
      const rest = loadOnDemand(language);
      return (rest instanceof Promise ? use(rest) : rest)[name as keyof OnDemandStrings];
    },
  });

function loadOnDemand(language: Language): OnDemandStrings | Promise<OnDemandStrings> {
  if (!onDemand.has(language)) {
    const loading = languages[language].loadOnDemand();
    onDemand.set(language, loading);
    loading.then(
      (strings) => onDemand.set(language, strings),
      () => onDemand.delete(language),
    );
  }
  return onDemand.get(language)!;
}

const isLanguage = (name: string | null | undefined): name is Language => name != null && Object.hasOwn(languages, name);
const preferred = (): Language => {
  const stored = localStorage.getItem(STORED);
  return isLanguage(stored) ? stored : (navigator.languages.map((each) => each.slice(0, 2)).find(isLanguage) ?? 'en');
};

/** Loads the strings that the first pages do not need, in the language of the reader. */
export const loadPageStrings = async (): Promise<void> => void (await loadOnDemand(preferred()));

interface Choice {
  language: Language;
  setLanguage(language: Language): Promise<void>;
  strings: LanguageStrings;
}
const Context = createContext<Choice | null>(null);

/** Gives the pages the strings and formats of the chosen language. Suspends while they load. */
export function StringsProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(preferred);
  const first = use(load(language));
  const strings = useMemo(() => withOnDemand(language, first), [language, first]);
  const choice = useMemo(
    () => ({
      language,
      async setLanguage(next: Language) {
        localStorage.setItem(STORED, next);
        // Event handlers of open pages read strings too, and cannot wait for them.
        await Promise.all([load(next), onDemand.has(language) && loadOnDemand(next)]);
        setLanguage(next);
      },
      strings,
    }),
    [language, strings],
  );
  document.documentElement.lang = language;
  return <Context value={choice}>{children}</Context>;
}

export const useLanguage = (): Choice => useContext(Context)!;
export const useStrings = (): LanguageStrings => useLanguage().strings;

/** Gives the buttons of library components their labels, and keeps headers of dialogs from being landmarks of the page. */
export function Labels({ children }: { children: ReactNode }) {
  const { actions } = useStrings();
  const theme = useMemo(() => {
    const dialog = { defaultProps: { closeButtonProps: { 'aria-label': actions.close } } };
    const header = { defaultProps: { role: 'presentation' } };
    return { components: { Notification: dialog, Modal: dialog, Drawer: dialog, ModalHeader: header, DrawerHeader: header } };
  }, [actions]);
  return <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>;
}
