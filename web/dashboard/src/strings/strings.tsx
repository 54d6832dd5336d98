import { createContext, type ReactNode, use, useContext, useMemo, useState } from 'react';
import type { Strings } from './en/index.ts';
import { Formats } from './formats.ts';

/** Each language with its own name. Its strings load when it is chosen. */
export const languages = {
  en: { name: 'English', load: () => import('./en/index.ts').then(({ en }): Strings => en) },
  de: { name: 'Deutsch', load: () => import('./de/index.ts').then(({ de }): Strings => de) },
};
export type Language = keyof typeof languages;

const STORED = 'language';
const loaded = new Map<Language, Promise<Strings>>();
const load = (language: Language) => {
  if (!loaded.has(language)) loaded.set(language, languages[language].load());
  return loaded.get(language)!;
};

const isLanguage = (name: string | null | undefined): name is Language => name != null && Object.hasOwn(languages, name);
const preferred = (): Language => {
  const stored = localStorage.getItem(STORED);
  return isLanguage(stored) ? stored : (navigator.languages.map((each) => each.slice(0, 2)).find(isLanguage) ?? 'en');
};

interface Choice {
  language: Language;
  setLanguage(language: Language): void;
  strings: Strings;
  formats: Formats;
}
const Context = createContext<Choice | null>(null);

/** Gives the pages the strings and formats of the chosen language. Suspends while they load. */
export function StringsProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(preferred);
  const strings = use(load(language));
  const choice = useMemo(
    () => ({
      language,
      setLanguage(next: Language) {
        localStorage.setItem(STORED, next);
        setLanguage(next);
      },
      strings,
      formats: new Formats(language),
    }),
    [language, strings],
  );
  document.documentElement.lang = language;
  return <Context value={choice}>{children}</Context>;
}

export const useLanguage = (): Choice => useContext(Context)!;
export const useStrings = (): Strings => useLanguage().strings;
export const useFormats = (): Formats => useLanguage().formats;
