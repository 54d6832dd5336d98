import { Alert } from '@mantine/core';
import { useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '../graph/graph-hooks.ts';
import { useStrings } from '../strings/strings.tsx';
import { type Content, isEmpty, type ValueType } from './format.ts';

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
