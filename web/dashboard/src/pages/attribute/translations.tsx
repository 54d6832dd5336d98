import { CloseButton, Fieldset, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { languageName } from '../../parts/language-name.ts';
import { Section } from '../../parts/page-frame.tsx';
import { useLanguage, useStrings } from '../../strings/strings.tsx';
import type { Translation } from './attribute-values.ts';

/** Languages to choose from. Others can be written by the API. */
const LANGUAGES = [
  ...['bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'hr', 'hu', 'it', 'ja', 'lt', 'lv', 'nl', 'no', 'pl', 'pt', 'ro'],
  ...['sk', 'sl', 'sv', 'tr', 'uk', 'zh'],
];

interface Props {
  translations: Translation[];
  options: string[];
  onChange(translations: Translation[]): void;
}

/** The name of the attribute and the labels of its options in other languages. */
export function Translations({ translations, options, onChange }: Props) {
  const { attributes } = useStrings();
  const { language } = useLanguage();
  const nameOf = (code: string) => languageName(code, language);
  const others = LANGUAGES.filter((each) => !translations.some((known) => known.language === each));
  const change = (at: number, changes: Partial<Translation>) =>
    onChange(translations.map((each, index) => (index === at ? { ...each, ...changes } : each)));
  return (
    <Section title={attributes.translations}>
      <Text mb="sm">{attributes.translationsText}</Text>
      <Stack>
        {translations.map(({ language: code, name, labels }, at) => (
          <Fieldset key={code} legend={nameOf(code)}>
            <Group align="flex-end" wrap="nowrap">
              <TextInput
                label={attributes.nameIn(nameOf(code))}
                maxLength={128}
                value={name}
                onChange={({ currentTarget: { value } }) => change(at, { name: value })}
                flex={1}
              />
              <CloseButton
                mb={6}
                aria-label={attributes.removeLanguage(nameOf(code))}
                onClick={() => onChange(translations.filter((_, index) => index !== at))}
              />
            </Group>
            {options.length > 0 && (
              <SimpleGrid cols={{ base: 1, sm: 2 }} mt="sm">
                {options.map((option) => (
                  <TextInput
                    key={option}
                    label={option}
                    maxLength={1_000}
                    value={labels[option] ?? ''}
                    onChange={({ currentTarget: { value } }) => change(at, { labels: { ...labels, [option]: value } })}
                  />
                ))}
              </SimpleGrid>
            )}
          </Fieldset>
        ))}
        <Select
          aria-label={attributes.addLanguage}
          placeholder={attributes.addLanguage}
          data={others.map((code) => ({ value: code, label: nameOf(code) }))}
          value={null}
          onChange={(code) => code && onChange([...translations, { language: code, name: '', labels: {} }])}
          searchable
          maw={320}
        />
      </Stack>
    </Section>
  );
}
