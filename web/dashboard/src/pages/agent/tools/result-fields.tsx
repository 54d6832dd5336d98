import { Fieldset, NumberInput, SegmentedControl, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useStrings } from '../../../strings/strings.tsx';
import type { ToolValues } from './values.ts';

/** The parts of a response that the model receives. */
export function ResultFields({ form }: { form: UseFormReturnType<ToolValues> }) {
  const { agents } = useStrings();
  return (
    <Fieldset legend={agents.resultOfTool}>
      <Stack>
        <SegmentedControl
          aria-label={agents.resultOfTool}
          data={[
            { value: 'raw', label: agents.wholeResponse },
            { value: 'jsonpath', label: 'JSONPath' },
          ]}
          {...form.getInputProps('kind')}
        />
        {form.values.kind === 'jsonpath' && (
          <TextInput label="JSONPath" placeholder="$.order.status" maxLength={500} {...form.getInputProps('path')} />
        )}
        <NumberInput
          label={agents.truncateChars}
          min={1}
          max={100_000}
          allowDecimal={false}
          {...form.getInputProps('truncateChars')}
        />
        <NumberInput
          label={agents.timeout}
          min={500}
          max={30_000}
          step={500}
          allowDecimal={false}
          {...form.getInputProps('timeoutMs')}
        />
      </Stack>
    </Fieldset>
  );
}
