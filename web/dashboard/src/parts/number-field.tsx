import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

/** Also the properties of a field of a form. */
interface Props extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value?: number | null;
  onChange(value: number | null): void;
}

/** The number that a text means so far; null for none. */
export const numberOf = (text: number | string): number | null => (text === '' || Number.isNaN(Number(text)) ? null : Number(text));

/** The input of a number. Its text stays as it is typed, because "0." or "1.50" would lose characters as a number. */
export function NumberField({ value = null, onChange, ...props }: Props) {
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
