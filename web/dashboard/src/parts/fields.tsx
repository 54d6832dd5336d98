import { CloseButton, NumberInput, type NumberInputProps, Textarea, type TextareaProps, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useStrings } from '../strings/strings.tsx';

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value?: number | null;
  onChange(value: number | null): void;
}

/** The number that a text means so far; null for none. */
export const numberOf = (text: number | string): number | null => (text === '' || Number.isNaN(Number(text)) ? null : Number(text));

/** The input of a number. Its text stays as it is typed, because "0." or "1.50" would lose characters as a number. */
export function NumberField({ value = null, onChange, ...props }: NumberFieldProps) {
  const [typed, setTyped] = useState<number | string>(value ?? '');
  return (
    <NumberInput
      {...props}
      value={numberOf(typed) === value ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next);
        onChange(numberOf(next));
      }}
    />
  );
}

/** The input of a longer text. It grows with the text, from the first to the second number of rows. */
export const LongText = ({ rows: [minRows, maxRows], ...props }: Omit<TextareaProps, 'rows'> & { rows: [number, number] }) => (
  <Textarea autosize minRows={minRows} maxRows={maxRows} {...props} />
);

/** The graph rejects longer searches. */
const MAX_LENGTH = 256;

interface SearchProps {
  label: string;
  value: string;
  onSearch(text: string): void;
}

/** A search field. It reports a text after a pause in typing, and follows a value that changes otherwise, such as by the navigation. */
export function Search({ label, value, onSearch }: SearchProps) {
  const { actions } = useStrings();
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const report = useDebouncedCallback((next: string) => {
    reported.current = next;
    onSearch(next);
  }, 250);
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    report.cancel();
    setText(value);
  }, [value, report]);
  const change = (next: string) => {
    setText(next);
    report(next);
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={MAX_LENGTH}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text && <CloseButton size="sm" aria-label={actions.clear} onClick={() => change('')} />}
      flex="1 1 14rem"
      maw={360}
    />
  );
}
