import { CloseButton, Group, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '../../../../shared/composing.ts';
import type { CreateAttributeMutationVariables, EditedAttributeFragment } from '../../../.graph/graphql.ts';
import { Action } from '../../parts/elements.tsx';
import { type FormOf, NumberField, typed } from '../../parts/forms-and-dialogs.tsx';
import { Section } from '../../parts/page-frame.tsx';
import { moved, SortableList } from '../../parts/sortable-list.tsx';
import { useStrings } from '../../strings/strings.tsx';

export type Attribute = EditedAttributeFragment;
type Type = Attribute['type'];
export type Subject = Attribute['subject'];
type Input = CreateAttributeMutationVariables['input'];
const bounds = ['minLength', 'maxLength', 'minWords', 'maxWords', 'min', 'max', 'minItems', 'maxItems'] as const;
type Bound = (typeof bounds)[number];
export const formats = ['title-case', 'lowercase', 'kebab-case', 'keywords', 'html-section'] as const;
/** The name of an attribute and the labels of its options in another language. */
export interface Translation {
  language: string;
  name: string;
  labels: Record<string, string>;
}
/** The fields of the form. A bound without a number is no limit. */
export type Values = {
  name: string;
  slug: string;
  subject: Subject;
  type: Type;
  prompt: string;
  categoryPrompt: string;
  isActive: boolean;
  options: string[];
  examples: string[];
  unit: string;
  bounds: Record<Bound, number | null>;
  format: (typeof formats)[number] | null;
  translations: Translation[];
};
export const hasOptions = (type: Type): boolean => type === 'select' || type === 'multiselect';
const hasFormat = (type: Type): boolean => type === 'text' || type === 'html';
/** The bounds that apply to values of a type. */
export function boundsOf({ type, format }: Pick<Values, 'type' | 'format'>): Bound[] {
  if (type === 'number') return ['min', 'max'];
  if (type === 'multiselect') return ['minItems', 'maxItems'];
  if (!hasFormat(type)) return [];
  const ofText: Bound[] = ['minLength', 'maxLength', 'minWords', 'maxWords'];
  return format === 'keywords' ? [...ofText, 'minItems', 'maxItems'] : ofText;
}
/** The form of an attribute, or of a new one. */
export function valuesOf(attribute: Attribute | null, subject: Subject): Values {
  const limits = attribute?.constraints;
  return {
    name: attribute?.name ?? '',
    slug: attribute?.slug ?? '',
    subject: attribute?.subject ?? subject,
    type: attribute?.type ?? 'text',
    prompt: attribute?.prompt ?? '',
    categoryPrompt: attribute?.categoryPrompt ?? '',
    isActive: attribute?.isActive ?? true,
    options: attribute?.options ?? [],
    examples: attribute?.examples ?? [],
    unit: attribute?.unit ?? '',
    bounds: Object.fromEntries(bounds.map((bound) => [bound, limits?.[bound] ?? null])) as Values['bounds'],
    format: (limits?.format as Values['format']) ?? null,
    translations:
      attribute?.translations.map(({ language, name, options }) => ({
        language,
        name: name ?? '',
        labels: Object.fromEntries(options.map(({ option, label }) => [option, label])),
      })) ?? [],
  };
}
/** The input of an update, which cannot change subject, slug and type. */
export function changesOf(values: Values) {
  const limits = boundsOf(values).flatMap((bound) => (values.bounds[bound] === null ? [] : [[bound, values.bounds[bound]]]));
  return {
    name: values.name.trim(),
    prompt: values.prompt,
    categoryPrompt: values.categoryPrompt.trim() || null,
    isActive: values.isActive,
    options: hasOptions(values.type) ? values.options : [],
    examples: values.examples,
    unit: values.type === 'number' ? values.unit.trim() || null : null,
    constraints: {
      ...Object.fromEntries(limits),
      ...(hasFormat(values.type) && values.format ? { format: values.format } : {}),
    } as Input['constraints'],
    translations: values.translations.map(({ language, name, labels }) => ({
      language,
      name: name.trim() || null,
      options: values.options.flatMap((option) => (labels[option]?.trim() ? [{ option, label: labels[option].trim() }] : [])),
    })),
  };
}

interface Props {
  options: string[];
  onChange(options: string[]): void;
  disabled: boolean;
}

/** The labels of a select or multiselect, in their order. */
export function Options({ options, onChange, disabled }: Props) {
  const { attributes, terms, actions } = useStrings();
  const [text, setText] = useState('');
  const label = text.trim();
  const isKnown = options.includes(label);
  function add() {
    if (!label || isKnown) return;
    onChange([...options, label]);
    setText('');
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
    // Enter would save the form.
    event.preventDefault();
    add();
  };
  return (
    <Section title={terms.options}>
      {options.length === 0 && <Text mb="sm">{attributes.noOptions}</Text>}
      <SortableList
        label={terms.options}
        keys={options}
        nameOf={(option) => option}
        onMove={(from, to) => onChange(moved(options, from, to))}
        disabled={disabled}
      >
        {(option) => (
          <>
            <Text flex={1} truncate>
              {option}
            </Text>
            <CloseButton
              size="sm"
              aria-label={attributes.removeOption(option)}
              onClick={() => onChange(options.filter((each) => each !== option))}
            />
          </>
        )}
      </SortableList>
      <Group align="flex-start" gap="xs">
        <TextInput
          {...typed(text, setText)}
          aria-label={attributes.newOption}
          placeholder={attributes.newOption}
          onKeyDown={onKeyDown}
          error={isKnown && attributes.knownOption}
          flex={1}
        />
        <Action label={actions.add} variant="default" onClick={add} disabled={!label || isKnown || options.length >= 500} />
      </Group>
    </Section>
  );
}

const mayBeNegative = ['min', 'max'];

/** The limits of values that apply to the type of the attribute. */
export function Limits({ form }: { form: FormOf<Values> }) {
  const { attributes, terms } = useStrings();
  const { values, errors, field } = form;
  const shown = boundsOf(values);
  if (shown.length === 0) return null;
  return (
    <Section title={terms.limits}>
      <Text mb="sm">{attributes.limitsText}</Text>
      <SimpleGrid cols={2}>
        {shown.map((bound) => (
          <NumberField
            key={bound}
            label={attributes.bounds[bound]}
            allowDecimal={mayBeNegative.includes(bound)}
            allowNegative={mayBeNegative.includes(bound)}
            min={mayBeNegative.includes(bound) ? undefined : bound.startsWith('max') ? 1 : 0}
            value={values.bounds[bound]}
            onChange={(value) => {
              form.setFieldValue(`bounds.${bound}`, value);
              form.clearFieldError('bounds');
            }}
          />
        ))}
        {hasFormat(values.type) && (
          <Select
            {...field('format', terms.format)}
            data={formats.map((value) => ({ value, label: attributes.formats[value] }))}
            clearable
          />
        )}
      </SimpleGrid>
      {errors.bounds && (
        <Text mt="xs" c="var(--mantine-color-red-light-color)" role="alert">
          {errors.bounds}
        </Text>
      )}
    </Section>
  );
}
