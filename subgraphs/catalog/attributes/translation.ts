import { InputType, ObjectType } from 'type-graphql';
import { field, input, list, NAME, output, shared } from '../../../platform/fields/index.ts';
import { fail } from '../../../schema/errors.ts';

@ObjectType({ description: 'The label of an option in another language.' })
@InputType('OptionLabelInput', { description: 'The label of an option in another language.' })
class OptionLabel extends shared({
  option: field(String, { minLength: 1, maxLength: 1_000, description: 'The option as values store it.' }),
  label: field(String, { minLength: 1, maxLength: 1_000 }),
}) {}

@ObjectType({ description: 'The name of an attribute and the labels of its options in another language.' })
export class AttributeTranslation extends output({
  language: field(String, 'A language tag, such as `de` or `pt-BR`.'),
  name: field(String, { optional: true }),
  options: list(OptionLabel, { assumedSize: 10, description: 'Options without an entry keep their own label.' }),
}) {}

@InputType({ description: 'The name of an attribute and the labels of its options in another language.' })
export class AttributeTranslationInput extends input({
  language: field(String, { pattern: /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$/, description: 'A language tag, such as `de` or `pt-BR`.' }),
  name: field(String, { ...NAME, maxLength: 128, nullable: true }),
  options: list(OptionLabel, { maxItems: 500, defaultValue: [], description: 'Options without an entry keep their own label.' }),
}) {}

/** Throws `INVALID_INPUT` for two translations into one language. */
export function checkTranslations(translations: readonly AttributeTranslation[] | null | undefined): void {
  const languages = translations?.map(({ language }) => language) ?? [];
  if (new Set(languages).size < languages.length) throw fail('INVALID_INPUT', 'translations must name each language once');
}

type Translated = { translations?: AttributeTranslation[] };

/** The names of an attribute in other languages. */
export const translatedNames = ({ translations = [] }: Translated): string[] => translations.flatMap(({ name }) => name ?? []);

/** The options whose label in any language is this text, ignoring case. */
export const optionsLabeled = (text: string, { translations = [] }: Translated): string[] => [
  ...new Set(
    translations.flatMap(({ options }) =>
      options.filter(({ label }) => label.toLowerCase() === text.toLowerCase()).map(({ option }) => option),
    ),
  ),
];
