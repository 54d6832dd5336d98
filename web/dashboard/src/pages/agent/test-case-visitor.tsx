import { CloseButton, Fieldset, Group, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Note, SmallAction } from '../../parts/elements.tsx';
import { LongText } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { CaseForm } from './test-check-row.tsx';

const MAX_MESSAGES = 10;

/** The visitor of a case: its messages, the customer that a model plays after them, and who is signed in. */
export function CaseVisitor({ form }: { form: CaseForm }) {
  const { tests, actions, terms } = useStrings();
  const { messages, goal } = form.values;
  return (
    <>
      <Fieldset legend={tests.messages}>
        <Stack gap="xs">
          {messages.map((_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the values are in the form, which numbers them.
            <Group key={at} align="end" wrap="nowrap" gap="xs">
              <LongText
                flex={1}
                label={tests.message(at + 1)}
                rows={[1, 8]}
                maxLength={20_000}
                {...form.getInputProps(`messages.${at}`)}
                error={form.errors.messages && messages[at]?.trim() === '' ? form.errors.messages : undefined}
              />
              {messages.length > 1 && (
                <CloseButton
                  aria-label={`${actions.remove}: ${tests.message(at + 1)}`}
                  onClick={() => form.removeListItem('messages', at)}
                />
              )}
            </Group>
          ))}
          <SmallAction
            label={tests.addMessage}
            icon={IconPlus}
            variant="light"
            w="fit-content"
            disabled={messages.length >= MAX_MESSAGES}
            onClick={() => form.insertListItem('messages', '')}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend={tests.customer}>
        <Stack gap="xs">
          <Note size="xs">{tests.customerHelp}</Note>
          <LongText label={tests.goal} rows={[1, 6]} maxLength={2_000} {...form.getInputProps('goal')} />
          {goal.trim() !== '' && (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput label={tests.manner} description={tests.mannerHelp} maxLength={1_000} {...form.getInputProps('manner')} />
              <NumberInput
                label={tests.maxMessages}
                description={tests.maxMessagesHelp}
                min={1}
                max={MAX_MESSAGES}
                allowDecimal={false}
                {...form.getInputProps('maxMessages')}
              />
            </SimpleGrid>
          )}
        </Stack>
      </Fieldset>
      <Fieldset legend={tests.signedIn}>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput label={tests.subject} maxLength={255} {...form.getInputProps('subject')} />
          <TextInput label={terms.name} maxLength={255} {...form.getInputProps('visitorName')} />
          <TextInput label={terms.email} maxLength={320} {...form.getInputProps('visitorEmail')} />
        </SimpleGrid>
      </Fieldset>
    </>
  );
}
