import { Select, SimpleGrid, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { NumberField } from '../../parts/number-field.tsx';
import { Section } from '../../parts/section.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { boundsOf, formats, hasFormat, type Values } from './attribute.ts';

const mayBeNegative = ['min', 'max'];

/** The limits of values that apply to the type of the attribute. */
export function Limits({ form }: { form: UseFormReturnType<Values> }) {
  const { attributes } = useStrings();
  const { values, errors, getInputProps } = form;
  const shown = boundsOf(values);
  if (shown.length === 0) return null;
  return (
    <Section title={attributes.limits}>
      <Text size="sm" mb="sm">
        {attributes.limitsText}
      </Text>
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
            label={attributes.format}
            data={formats.map((value) => ({ value, label: attributes.formats[value] }))}
            clearable
            {...getInputProps('format')}
          />
        )}
      </SimpleGrid>
      {errors.bounds && (
        <Text size="sm" mt="xs" c="var(--mantine-color-red-light-color)" role="alert">
          {errors.bounds}
        </Text>
      )}
    </Section>
  );
}
