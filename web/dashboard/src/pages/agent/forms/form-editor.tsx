import { Anchor, Button, Group, SimpleGrid, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import { useConfirm } from '../../../parts/confirm.ts';
import { editsOf } from '../../../parts/edits.ts';
import { SortableList } from '../../../parts/sortable-list.tsx';
import { useUnsaved } from '../../../parts/unsaved.ts';
import { useClosingForm } from '../../../parts/use-closing-form.ts';
import { useAddress } from '../../../session/organization.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { CREATE_FORM, DELETE_FORM, type Form, UPDATE_FORM } from './documents.ts';
import { FieldRow } from './field-row.tsx';
import { fieldsOf, formKeyOf, newField, type Values, valuesOf } from './values.ts';

const MAX_FIELDS = 50;

const inputOf = (values: Values) => ({ title: values.title.trim(), enabled: values.enabled, fields: fieldsOf(values) });

interface Props {
  agentId: string;
  form: Form | null;
  onClose(): void;
}

/** Creates, changes or deletes a form. The order of the fields changes by drag or by keyboard. */
export function FormEditor({ agentId, form: stored, onClose }: Props) {
  const { agents, actions } = useStrings();
  const address = useAddress();
  const [creating, create] = useMutation(CREATE_FORM);
  const [changing, change] = useMutation(UPDATE_FORM);
  const form = useClosingForm<Values>({ initialValues: valuesOf(stored), validate: useRules() });
  useUnsaved(form.isDirty());
  const { values, setFieldValue, getInputProps } = form;
  const { fields } = values;

  async function submit() {
    const input = inputOf(values);
    const { data } = stored
      ? await change({ id: stored.id, input: editsOf(input, inputOf(form.getInitialValues())) })
      : await create({ agentId, input: { ...input, name: values.name } });
    if (data) onClose();
  }
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack maw={860}>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {stored?.title ?? agents.addForm}
          </Title>
          {stored && (
            <Group gap="xs">
              <Anchor component={Link} size="sm" to={address(`inbox/submissions?agent=${agentId}&form=${stored.name}`)}>
                {agents.submissions}
              </Anchor>
              <Delete form={stored} onDone={onClose} />
            </Group>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={agents.formTitle}
            description={agents.formTitleHelp}
            maxLength={255}
            autoFocus={!stored}
            {...getInputProps('title')}
            onChange={({ currentTarget: { value } }) => {
              if (!stored && values.name === formKeyOf(values.title)) setFieldValue('name', formKeyOf(value));
              setFieldValue('title', value);
            }}
          />
          <TextInput
            label={agents.formKey}
            description={agents.formKeyHelp}
            maxLength={64}
            disabled={stored !== null}
            spellCheck={false}
            {...getInputProps('name')}
          />
        </SimpleGrid>
        <Switch label={agents.formEnabled} {...getInputProps('enabled', { type: 'checkbox' })} />
        <Title order={3} size="h5">
          {agents.fields}
        </Title>
        {fields.length === 0 && (
          <Text size="sm" role="alert">
            {agents.noFields}
          </Text>
        )}
        <SortableList
          label={agents.fields}
          keys={fields.map(({ id }) => id)}
          nameOf={(id) => nameOf(values, id, agents.field)}
          onMove={(from, to) => form.reorderListItem('fields', { from, to })}
        >
          {(id) => {
            const index = fields.findIndex((field) => field.id === id);
            return (
              <FieldRow
                form={form}
                index={index}
                name={nameOf(values, id, agents.field)}
                onRemove={() => form.removeListItem('fields', index)}
              />
            );
          }}
        </SortableList>
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={fields.length >= MAX_FIELDS}
            onClick={() => form.insertListItem('fields', newField())}
          >
            {agents.addField}
          </Button>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {actions.cancel}
            </Button>
            <Button type="submit" loading={creating.fetching || changing.fetching} disabled={fields.length === 0}>
              {actions.save}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

function nameOf({ fields }: Values, id: string, numbered: (number: number) => string): string {
  const index = fields.findIndex((field) => field.id === id);
  return fields[index]?.label.trim() || numbered(index + 1);
}

function useRules() {
  const { agents } = useStrings();
  return {
    title: (title: string) => (title.trim() ? null : agents.required),
    name: (name: string) => (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name) ? null : agents.wrongFormKey),
    fields: {
      label: (label: string) => (label.trim() ? null : agents.required),
      name: (name: string, { fields }: Values) => {
        if (!/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/.test(name)) return agents.wrongFieldKey;
        return fields.filter((field) => field.name === name).length > 1 ? agents.takenFieldKey : null;
      },
      options: (options: string[], { fields }: Values, path: string) => {
        const field = fields[Number(path.split('.')[1])];
        return field?.type === 'select' && options.length === 0 ? agents.needsOptions : null;
      },
    },
  };
}

function Delete({ form: { id, title }, onDone }: { form: Form; onDone(): void }) {
  const { agents } = useStrings();
  const confirm = useConfirm();
  const [{ fetching }, remove] = useMutation(DELETE_FORM);
  async function ask() {
    const question = { title: agents.deleteTitle(title), text: agents.deleteFormText, action: agents.delete, danger: true };
    if (!(await confirm(question))) return;
    const { data } = await remove({ id });
    if (data) onDone();
  }
  return (
    <Button variant="subtle" color="red" onClick={ask} loading={fetching}>
      {agents.delete}
    </Button>
  );
}
