import { Button, CloseButton, Group, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '../../../../shared/composing.ts';
import { Section } from '../../parts/section.tsx';
import { moved, SortableList } from '../../parts/sortable-list.tsx';
import { useStrings } from '../../strings/strings.tsx';

interface Props {
  options: string[];
  onChange(options: string[]): void;
  disabled: boolean;
}

/** The labels of a select or multiselect, in their order. */
export function Options({ options, onChange, disabled }: Props) {
  const { attributes } = useStrings();
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
    <Section title={attributes.options}>
      {options.length === 0 && (
        <Text size="sm" mb="sm">
          {attributes.noOptions}
        </Text>
      )}
      <SortableList
        label={attributes.options}
        keys={options}
        nameOf={(option) => option}
        onMove={(from, to) => onChange(moved(options, from, to))}
        disabled={disabled}
      >
        {(option) => (
          <>
            <Text size="sm" flex={1} truncate>
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
        <Button variant="default" onClick={add} disabled={!label || isKnown || options.length >= 500}>
          {attributes.add}
        </Button>
      </Group>
    </Section>
  );
}
