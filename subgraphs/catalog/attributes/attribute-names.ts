import type { AttributeTranslation } from './translation.ts';

type Named = { name: string; translations?: AttributeTranslation[] };

/** The names of an attribute in all languages, its own first. */
export const namesOf = ({ name, translations = [] }: Named): string[] => [
  name,
  ...translations.flatMap((translation) => translation.name ?? []),
];

/** The options whose label in any language is this text, ignoring case. */
export const optionsLabeled = (text: string, { translations = [] }: Pick<Named, 'translations'>): string[] => [
  ...new Set(
    translations.flatMap(({ options }) =>
      options.filter(({ label }) => label.toLowerCase() === text.toLowerCase()).map(({ option }) => option),
    ),
  ),
];
