import { Alert, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import '@mantine/dates/styles.css';
import { useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '../graph/graph-hooks.ts';
import { NumberField, typed } from '../parts/forms-and-dialogs.tsx';
import { useStrings } from '../strings/strings.tsx';
import { type Content, isEmpty, type ValueType } from './format.ts';

export interface ValueDefinition {
  name: string;
  type: ValueType;
  options?: string[];
  unit?: string | null;
  /** Labels of options in the language of the reader. */
  labels?: ReadonlyMap<string, string>;
}

interface Props {
  definition: ValueDefinition;
  value: Content;
  onChange(value: Content): void;
  error?: string;
  readOnly?: boolean;
  /** Focus the field when it appears. */
  autoFocus?: boolean;
  /** The field is in a cell of a table, whose head has the label. Options are open from the start. */
  inCell?: boolean;
}

/** The input of a value, by the type of its attribute. An empty field is null. */
export function ValueField({
  definition: { name, type, options = [], unit, labels },
  value,
  onChange,
  error,
  readOnly,
  autoFocus,
  inCell = false,
}: Props) {
  const { values } = useStrings();
  const choices = options.map((option) => ({ value: option, label: labels?.get(option) ?? option }));
  const label = unit ? `${name} (${unit})` : name;
  const named = inCell ? { 'aria-label': label, size: 'xs' as const } : { label };
  const common = { ...named, error, readOnly, 'data-autofocus': true, autoFocus };
  const list = { defaultDropdownOpened: inCell };
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value);
  switch (type) {
    case 'number':
      return (
        <NumberField
          {...common}
          value={typeof value === 'number' ? value : null}
          onChange={onChange}
          suffix={unit && !inCell ? ` ${unit}` : undefined}
        />
      );
    case 'date':
      return <DateInput {...common} value={text || null} onChange={(next) => onChange(next)} valueFormat="YYYY-MM-DD" clearable />;
    case 'boolean': {
      const data = [
        { value: 'true', label: values.yes },
        { value: 'false', label: values.no },
      ];
      return (
        <Select
          {...common}
          {...list}
          data={data}
          value={text || null}
          onChange={(next) => onChange(next === null ? null : next === 'true')}
          clearable
        />
      );
    }
    case 'select':
      if (options.length > 0)
        return <Select {...common} {...list} data={choices} value={text || null} onChange={onChange} clearable searchable />;
      return <TextInput {...typed(text, (text) => onChange(text || null))} {...common} />;
    case 'multiselect': {
      const chosen = Array.isArray(value) ? value : [];
      if (options.length > 0)
        return <MultiSelect {...common} {...list} data={choices} value={chosen} onChange={onChange} clearable searchable />;
      return <TagsInput {...common} value={chosen} onChange={onChange} clearable />;
    }
    default:
      return (
        <Textarea
          {...typed(text, (text) => onChange(text || null))}
          {...common}
          autosize
          minRows={inCell ? 1 : type === 'html' ? 6 : 2}
          maxRows={14}
        />
      );
  }
}

const FAULTS = graphql(`query ValueFaults($values: AttributeValues!) { attributeValueFaults(values: $values) { slug message } }`);

/** Warns once before a person stores a value that breaks a limit of its attribute. Another value is checked again. */
export function useLimitCheck() {
  const client = useClient();
  const [warning, setWarning] = useState<{ message: string; value: string } | null>(null);
  /** Whether the value may be stored: it meets the limits, or the warning about it is shown. */
  async function mayStore(slug: string, attributeType: ValueType, value: Content): Promise<boolean> {
    const text = JSON.stringify(value ?? null);
    if (isEmpty(value) || warning?.value === text) return true;
    const values = { [slug]: { attributeType, value: value ?? null } };
    const { data } = await client.query(FAULTS, { values }, { requestPolicy: 'network-only' });
    const [fault] = data?.attributeValueFaults ?? [];
    setWarning(fault ? { message: fault.message, value: text } : null);
    return !fault;
  }
  return {
    mayStore,
    /** The warning about a value, which it no longer concerns once the value has changed. */
    warningOf: (value: Content) => (warning?.value === JSON.stringify(value ?? null) ? warning.message : null),
  };
}

export function LimitWarning({ message }: { message: string | null }) {
  const { values } = useStrings();
  if (message === null) return null;
  return (
    <Alert color="orange" role="alert" title={values.overLimit}>
      {message}
    </Alert>
  );
}
