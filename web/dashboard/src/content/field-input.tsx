import { Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import type { ReactNode } from 'react';
import { usePicker } from '../parts/dates.ts';
import { NumberField } from '../parts/number-field.tsx';
import { useStrings } from '../strings/strings.tsx';
import { Columns } from './columns.tsx';
import { HtmlInput } from './html-input.tsx';
import { type Column, type Field, labelOf, type Place } from './kind.ts';
import { RecordChoice } from './record-choice.tsx';

export interface FieldProps {
  field: Field;
  place: Place;
  isNew: boolean;
  /** The stored value. */
  before?: unknown;
  value?: unknown;
  error?: ReactNode;
  readOnly?: boolean;
  onChange(value: unknown): void;
  onFocus?(): void;
  onBlur?(): void;
}

/** The input of one field, by its type. */
export function FieldInput({ field, place, isNew, before, value, onChange, ...events }: FieldProps) {
  const strings = useStrings();
  const picker = usePicker();
  const { content, signIn } = strings;
  const { type, required, maxLength, options = [] } = field;
  const label = labelOf(field, strings);
  const common = { label, withAsterisk: required, ...events };
  const text = {
    ...common,
    value: String(value ?? ''),
    maxLength,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  switch (type) {
    case 'text':
      return <TextInput {...text} />;
    case 'slug':
      return <TextInput {...text} description={signIn.slugHelp} spellCheck={false} />;
    case 'path':
      return <TextInput {...text} description={isNew ? content.pathHelp : content.movedHelp} spellCheck={false} />;
    case 'url':
      return <TextInput {...text} type="url" placeholder="https://example.com/image.jpg" />;
    case 'lines':
      return <Textarea {...text} autosize minRows={2} maxRows={10} />;
    case 'html':
      return <HtmlInput {...text} />;
    case 'number':
      return <NumberField {...common} value={typeof value === 'number' ? value : null} onChange={(next) => onChange(next ?? '')} />;
    case 'boolean':
      return (
        <Checkbox
          {...events}
          label={label}
          checked={Boolean(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'date':
      return (
        <DateInput
          {...common}
          {...picker}
          valueFormat="YYYY-MM-DD"
          value={(value as string) || null}
          onChange={(next) => onChange(next ?? '')}
        />
      );
    case 'option':
      return (
        <Select
          {...common}
          clearable
          data={[...options]}
          value={(value as string) || null}
          onChange={(next) => onChange(next ?? '')}
        />
      );
    case 'record':
    case 'records':
      return <RecordChoice {...common} field={field} place={place} value={value as string | string[] | null} onChange={onChange} />;
    case 'columns':
      return (
        <Columns
          {...common}
          field={field}
          place={place}
          before={before as Column[] | undefined}
          value={(value ?? []) as Column[]}
          onChange={onChange}
        />
      );
  }
}
