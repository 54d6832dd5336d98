import { CloseButton, Fieldset, Group, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { NewTestCase } from '../../../.graph/graphql.ts';
import type { TestCaseRow } from '../../agents/agent-tests.tsx';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import { Note, SmallAction } from '../../parts/elements.tsx';
import { FormDialog, LongText, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type CaseForm, type CaseValues, CheckRow, checkOf, checkRules, newCheck, valuesOfCheck } from './test-check-row.tsx';

const CREATE = graphql(`
  mutation CreateTestCase($testSetId: ID!, $input: NewTestCase!) { createTestCase(testSetId: $testSetId, input: $input) { id } }
`);
const UPDATE = graphql(`
  mutation UpdateTestCase($id: ID!, $input: TestCaseChange!) { updateTestCase(id: $id, input: $input) { id } }
`);
const DELETE = graphql(`
  mutation DeleteTestCases($testSetId: ID!, $ids: [ID!]!) { deleteTestCases(testSetId: $testSetId, ids: $ids) }
`);

const MAX_CHECKS = 50;

interface Props {
  testSetId: string;
  /** Null for a new case. */
  stored: TestCaseRow | null;
  onClose(): void;
}

/** Creates, changes or deletes a case: the messages of the visitor, and a row for each check. */
export function TestCaseForm({ testSetId, stored, onClose }: Props) {
  const { tests, actions, terms } = useStrings();
  const [create] = useAction(CREATE, { after: onClose });
  const [change] = useAction(UPDATE, { after: onClose });
  const ask = { title: tests.deleteCaseTitle, text: tests.deleteCaseText, action: actions.delete };
  const [remove] = useAction(DELETE, { ask, after: onClose });
  const form = useClosingForm<CaseValues>({
    initialValues: valuesOf(stored),
    required: ['name'],
    validate: {
      messages: (messages, { goal }) => (goal.trim() || messages.every((message) => message.trim()) ? null : terms.required),
      maxMessages: (most, { goal, messages }) =>
        goal.trim() && Number(most) <= written(messages).length ? tests.tooFewMessages : null,
      subject: (subject, { visitorName, visitorEmail }) =>
        subject.trim() || !(visitorName.trim() || visitorEmail.trim()) ? null : terms.required,
      checks: checkRules({ tests, terms }),
    },
  });
  function submit(values: CaseValues) {
    const input = inputOf(values, stored);
    return stored ? change({ id: stored.id, input }) : create({ testSetId, input });
  }
  const { checks, recordings } = form.values;
  return (
    <FormDialog
      guarded
      size="lg"
      onClose={onClose}
      title={stored ? tests.editCase : tests.newCase}
      form={form}
      onSubmit={submit}
      submit={actions.save}
      disabled={checks.length === 0}
      deletion={stored ? { label: actions.delete, onClick: () => remove({ testSetId, ids: [stored.id] }) } : undefined}
    >
      <TextInput {...form.field('name', terms.name)} maxLength={255} data-autofocus />
      <CaseVisitor form={form} />
      <Fieldset legend={tests.checks}>
        <Stack>
          {checks.length === 0 && <Text role="alert">{tests.noChecks}</Text>}
          {checks.map(({ key }, at) => (
            <CheckRow key={key} form={form} at={at} onRemove={() => form.removeListItem('checks', at)} />
          ))}
          <SmallAction
            label={tests.addCheck}
            icon={IconPlus}
            variant="light"
            w="fit-content"
            disabled={checks.length >= MAX_CHECKS}
            onClick={() => form.insertListItem('checks', newCheck())}
          />
        </Stack>
      </Fieldset>
      {recordings.length > 0 && (
        <Fieldset legend={tests.recordings}>
          <Stack gap="xs">
            <Note size="xs">{tests.recordingsHelp}</Note>
            {recordings.map(({ tool, output, error }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the recordings have no other name.
              <Group key={at} justify="space-between" wrap="nowrap" gap="xs">
                <Text truncate>
                  {tool}: {error ?? (typeof output === 'string' ? output : JSON.stringify(output))}
                </Text>
                <CloseButton aria-label={tests.removeRecording(tool)} onClick={() => form.removeListItem('recordings', at)} />
              </Group>
            ))}
          </Stack>
        </Fieldset>
      )}
      <LongText {...form.field('expectation', tests.expectation, tests.expectationHelp)} rows={[2, 8]} maxLength={4_000} />
    </FormDialog>
  );
}

const valuesOf = (stored: TestCaseRow | null): CaseValues => ({
  name: stored?.name ?? '',
  messages: stored?.messages.length ? stored.messages : [''],
  goal: stored?.customer?.goal ?? '',
  manner: stored?.customer?.manner ?? '',
  maxMessages: stored?.customer?.maxMessages ?? 5,
  subject: stored?.identity?.subject ?? '',
  visitorName: stored?.identity?.name ?? '',
  visitorEmail: stored?.identity?.email ?? '',
  checks: stored?.checks.map(valuesOfCheck) ?? [newCheck()],
  recordings: stored?.recordings ?? [],
  expectation: stored?.expectation ?? '',
});

const written = (messages: readonly string[]): string[] => messages.map((message) => message.trim()).filter(Boolean);

const inputOf = (
  { name, messages, checks, recordings, expectation, ...visitor }: CaseValues,
  stored: TestCaseRow | null,
): NewTestCase => ({
  name: name.trim(),
  messages: written(messages),
  customer: visitor.goal.trim()
    ? { goal: visitor.goal.trim(), manner: visitor.manner.trim() || null, maxMessages: Number(visitor.maxMessages) }
    : null,
  identity: visitor.subject.trim()
    ? {
        subject: visitor.subject.trim(),
        name: visitor.visitorName.trim() || null,
        email: visitor.visitorEmail.trim() || null,
        claims: stored?.identity?.claims ?? {},
      }
    : null,
  checks: checks.map(checkOf),
  recordings: recordings.map(({ tool, arguments: given, output, error }) => ({ tool, arguments: given, output, error })),
  expectation: expectation.trim() || null,
});

const MAX_MESSAGES = 10;

/** The visitor of a case: its messages, the customer that a model plays after them, and who is signed in. */
function CaseVisitor({ form }: { form: CaseForm }) {
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
                {...form.field(`messages.${at}`, tests.message(at + 1))}
                flex={1}
                rows={[1, 8]}
                maxLength={20_000}
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
          <LongText {...form.field('goal', tests.goal)} rows={[1, 6]} maxLength={2_000} />
          {goal.trim() !== '' && (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput {...form.field('manner', tests.manner, tests.mannerHelp)} maxLength={1_000} />
              <NumberInput
                {...form.field('maxMessages', tests.maxMessages, tests.maxMessagesHelp)}
                min={1}
                max={MAX_MESSAGES}
                allowDecimal={false}
              />
            </SimpleGrid>
          )}
        </Stack>
      </Fieldset>
      <Fieldset legend={tests.signedIn}>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput {...form.field('subject', tests.subject)} maxLength={255} />
          <TextInput {...form.field('visitorName', terms.name)} maxLength={255} />
          <TextInput {...form.field('visitorEmail', terms.email)} maxLength={320} />
        </SimpleGrid>
      </Fieldset>
    </>
  );
}
