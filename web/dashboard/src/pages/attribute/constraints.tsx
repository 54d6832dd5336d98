import { CloseButton, Group, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '../../../../shared/composing.ts';
import { Action } from '../../parts/elements.tsx';
import { NumberField } from '../../parts/forms-and-dialogs.tsx';
import { Section } from '../../parts/page-frame.tsx';
import { moved, SortableList } from '../../parts/sortable-list.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { boundsOf, formats, hasFormat, type Values } from './attribute-values.ts';

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
          aria-label={attributes.newOption}
          placeholder={attributes.newOption}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
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
export function Limits({ form }: { form: UseFormReturnType<Values> }) {
  const { attributes, terms } = useStrings();
  const { values, errors, getInputProps } = form;
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
            label={terms.format}
            data={formats.map((value) => ({ value, label: attributes.formats[value] }))}
            clearable
            {...getInputProps('format')}
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
