import { Button, Fieldset, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useStrings } from '../../../strings/strings.tsx';
import type { SourceValues } from './source-values.ts';

/** The questions and answers of a new source. */
export function Questions({ form }: { form: UseFormReturnType<SourceValues> }) {
  const { agents } = useStrings();
  const { qa } = form.values;
  return (
    <Stack>
      {qa.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the values are in the form, which numbers them.
        <Fieldset key={index} legend={agents.numbered(index + 1)}>
          <Stack gap="xs">
            <TextInput label={agents.question} maxLength={2_000} {...form.getInputProps(`qa.${index}.question`)} />
            <Textarea
              label={agents.answer}
              autosize
              minRows={2}
              maxRows={10}
              maxLength={20_000}
              {...form.getInputProps(`qa.${index}.answer`)}
            />
            {qa.length > 1 && (
              <Button variant="subtle" color="red" size="xs" w="fit-content" onClick={() => form.removeListItem('qa', index)}>
                {agents.remove}
              </Button>
            )}
          </Stack>
        </Fieldset>
      ))}
      <Button
        variant="light"
        w="fit-content"
        disabled={qa.length >= 1_000}
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => form.insertListItem('qa', { question: '', answer: '' })}
      >
        {agents.addQuestion}
      </Button>
    </Stack>
  );
}
