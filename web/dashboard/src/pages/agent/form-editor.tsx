import { Checkbox, CloseButton, Group, SimpleGrid, Stack, Switch, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { AgentFormsQuery, FormFieldInput } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton } from '../../graph/graph-hooks.ts';
import { Action, PageLink } from '../../parts/elements.tsx';
import { Choice, editsOf, type FormOf, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { SortableList } from '../../parts/sortable-list.tsx';
import { useStrings } from '../../strings/strings.tsx';

graphql(`
  fragment EditedForm on CustomForm { id name title enabled fields { name label type required options } }
`);

const CREATE_FORM = graphql(`
  mutation CreateForm($agentId: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $agentId, input: $input) { ...EditedForm } }
`);
export const UPDATE_FORM = graphql(`
  mutation UpdateForm($id: ID!, $input: CustomFormChange!) { updateCustomForm(id: $id, input: $input) { ...EditedForm } }
`);
const DELETE_FORM = graphql(`mutation DeleteForm($id: ID!) { deleteCustomForm(id: $id) { id } }`);

export type Form = AgentFormsQuery['agentForms'][number];

const MAX_FIELDS = 50;

const inputOf = (values: Values) => ({ title: values.title.trim(), enabled: values.enabled, fields: fieldsOf(values) });

/** Creates, changes or deletes a form. The order of the fields changes by drag or by keyboard. */
export function FormEditor({ agentId, form: stored, onClose }: { agentId: string; form: Form | null; onClose(): void }) {
  const { agents, actions, terms } = useStrings();
  const [create, isCreating] = useAction(CREATE_FORM, { after: onClose });
  const [change, isChanging] = useAction(UPDATE_FORM, { after: onClose });
  const form = useClosingForm<Values>({ initialValues: valuesOf(stored), validate: useRules() });
  useUnsaved(form.isDirty());
  const { values, setFieldValue, field, check } = form;
  const { fields } = values;

  function submit() {
    const input = inputOf(values);
    if (!stored) return create({ agentId, input: { ...input, name: values.name } });
    return change({ id: stored.id, input: editsOf(input, inputOf(form.getInitialValues())) });
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
              <PageLink to={`inbox/submissions?agent=${agentId}&form=${stored.name}`} label={terms.submissions} />
              <Delete form={stored} onDone={onClose} />
            </Group>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            {...field('title', agents.formTitle, agents.formTitleHelp)}
            maxLength={255}
            autoFocus={!stored}
            onChange={({ currentTarget: { value } }) => {
              if (!stored && values.name === formKeyOf(values.title)) setFieldValue('name', formKeyOf(value));
              setFieldValue('title', value);
            }}
          />
          <TextInput
            {...field('name', terms.key, agents.formKeyHelp)}
            maxLength={64}
            disabled={stored !== null}
            spellCheck={false}
          />
        </SimpleGrid>
        <Switch {...check('enabled', agents.formEnabled)} />
        <Title order={3} size="h5">
          {terms.fields}
        </Title>
        {fields.length === 0 && <Text role="alert">{agents.noFields}</Text>}
        <SortableList
          label={terms.fields}
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
          <Action
            label={agents.addField}
            variant="default"
            icon={IconPlus}
            disabled={fields.length >= MAX_FIELDS}
            onClick={() => form.insertListItem('fields', newField())}
          />
          <Group gap="xs">
            <Action label={actions.cancel} variant="default" onClick={onClose} />
            <Action label={actions.save} type="submit" loading={isCreating || isChanging} disabled={fields.length === 0} />
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
  const { agents, terms } = useStrings();
  return {
    title: (title: string) => (title.trim() ? null : terms.required),
    name: (name: string) => (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name) ? null : agents.wrongFormKey),
    fields: {
      label: (label: string) => (label.trim() ? null : terms.required),
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
  const { agents, actions } = useStrings();
  const ask = { title: actions.deleteTitle(title), text: agents.deleteFormText, action: actions.delete };
  const remove = useButton(DELETE_FORM, { ask, after: onDone });
  return <Action label={actions.delete} variant="subtle" color="red" {...remove({ id })} />;
}

interface FieldRowProps {
  form: FormOf<Values>;
  index: number;
  /** The name of the field for screen readers. */
  name: string;
  onRemove(): void;
}

/** One field of a form: label, type, key, and whether visitors must fill it in. */
function FieldRow({ form, index, name, onRemove }: FieldRowProps) {
  const { agents, terms } = useStrings();
  const field = form.values.fields[index];
  if (!field) return null;
  const path = `fields.${index}`;
  return (
    <Stack gap="xs" flex={1} miw={0} role="group" aria-label={name}>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xs">
        <TextInput
          {...form.field(`${path}.label`, agents.fieldLabel)}
          maxLength={255}
          onChange={({ currentTarget: { value } }) => {
            if (field.isNew && field.name === fieldKeyOf(field.label)) form.setFieldValue(`${path}.name`, fieldKeyOf(value));
            form.setFieldValue(`${path}.label`, value);
          }}
        />
        <Choice {...form.field(`${path}.type`, terms.type)} labels={agents.fieldTypes} />
        <TextInput
          {...form.field(`${path}.name`, terms.key)}
          maxLength={64}
          spellCheck={false}
          onChange={({ currentTarget: { value } }) => {
            // Another field with the same key has an error, too.
            for (const at of form.values.fields.keys()) form.clearFieldError(`fields.${at}.name`);
            form.setFieldValue(`${path}.name`, value);
          }}
        />
      </SimpleGrid>
      {field.type === 'select' && (
        <TagsInput {...form.field(`${path}.options`, terms.options, agents.fieldOptionsHelp)} maxTags={100} acceptValueOnBlur />
      )}
      <Group justify="space-between">
        <Checkbox {...form.check(`${path}.required`, agents.fieldRequired)} />
        <CloseButton aria-label={agents.removeField(name)} onClick={onRemove} />
      </Group>
    </Stack>
  );
}

/** A field while it is edited. */
interface Field extends Required<FormFieldInput> {
  /** Stable while name, label and position change. */
  id: string;
  /** The name follows the label until the user edits it. */
  isNew: boolean;
}

interface Values {
  title: string;
  name: string;
  enabled: boolean;
  fields: Field[];
}

let last = 0;
const nextId = () => `field-${++last}`;

const newField = (): Field => ({
  id: nextId(),
  isNew: true,
  name: '',
  label: '',
  type: 'text',
  required: false,
  options: [],
});

/** The values of the editor of a form, or of a new one. */
const valuesOf = (form: Form | null): Values => ({
  title: form?.title ?? '',
  name: form?.name ?? '',
  enabled: form?.enabled ?? true,
  fields: form?.fields.map((field) => ({ ...field, id: nextId(), isNew: false })) ?? [newField()],
});

/** The fields as the server takes them. Only a choice has options. */
const fieldsOf = ({ fields }: Values): FormFieldInput[] =>
  fields.map(({ name, label, type, required, options }) => ({
    name,
    label: label.trim(),
    type,
    required,
    options: type === 'select' ? options : [],
  }));

const ascii = (text: string) => text.replaceAll('ß', 'ss').normalize('NFD').replace(/\p{M}/gu, '');

/** A key from a label, such as `phoneNumber` for "Phone number". */
const fieldKeyOf = (label: string): string =>
  ascii(label)
    .replace(/[^a-zA-Z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '')
    .replace(/^[^a-zA-Z]+/, '')
    .replace(/^./, (first) => first.toLowerCase())
    .slice(0, 64);

/** A key from a title, such as `call-me-back` for "Call me back". */
const formKeyOf = (title: string): string =>
  ascii(title)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64);
