import { Fieldset, NumberInput, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useStrings } from '../../../strings/strings.tsx';
import type { SettingsForm } from './values.ts';

/** How the agent answers. */
export function Behavior({ form }: { form: SettingsForm }) {
  const { agents } = useStrings();
  const model = useId();
  return (
    <Fieldset legend={agents.behavior}>
      <Stack>
        <TextInput label={agents.name} description={agents.nameHelp} maxLength={255} {...form.getInputProps('name')} />
        <Textarea
          label={agents.systemPrompt}
          description={agents.systemPromptHelp}
          autosize
          minRows={5}
          maxRows={18}
          maxLength={100_000}
          {...form.getInputProps('systemPrompt')}
        />
        <Stack gap={4} align="flex-start">
          <Text size="sm" fw={500} id={model}>
            {agents.model}
          </Text>
          <SegmentedControl
            aria-labelledby={model}
            data={Object.entries(agents.models).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('modelType')}
          />
        </Stack>
        <NumberInput
          label={agents.temperature}
          description={agents.temperatureHelp}
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          {...form.getInputProps('temperature')}
        />
        <NumberInput
          label={agents.maxTokensPerMessage}
          description={agents.maxTokensHelp}
          min={64}
          max={8_000}
          step={64}
          allowDecimal={false}
          {...form.getInputProps('maxTokensPerMessage')}
        />
        <NumberInput
          label={agents.maxRetrievalTokens}
          description={agents.maxRetrievalHelp}
          min={0}
          max={16_000}
          step={500}
          allowDecimal={false}
          {...form.getInputProps('maxRetrievalTokens')}
        />
      </Stack>
    </Fieldset>
  );
}
