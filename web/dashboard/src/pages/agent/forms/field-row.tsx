import { Checkbox, CloseButton, Group, Select, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useStrings } from '../../../strings/strings.tsx';
import { fieldKeyOf, type Values } from './values.ts';

interface Props {
  form: UseFormReturnType<Values>;
  index: number;
  /** The name of the field for screen readers. */
  name: string;
  onRemove(): void;
}

/** One field of a form: label, type, key, and whether visitors must fill it in. */
export function FieldRow({ form, index, name, onRemove }: Props) {
  const { agents } = useStrings();
  const field = form.values.fields[index];
  if (!field) return null;
  const path = `fields.${index}`;
  return (
    <Stack gap="xs" flex={1} miw={0} role="group" aria-label={name}>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xs">
        <TextInput
          label={agents.fieldLabel}
          maxLength={255}
          {...form.getInputProps(`${path}.label`)}
          onChange={({ currentTarget: { value } }) => {
            if (field.isNew && field.name === fieldKeyOf(field.label)) form.setFieldValue(`${path}.name`, fieldKeyOf(value));
            form.setFieldValue(`${path}.label`, value);
          }}
        />
        <Select
          label={agents.fieldType}
          data={Object.entries(agents.fieldTypes).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps(`${path}.type`)}
        />
        <TextInput
          label={agents.fieldKey}
          maxLength={64}
          spellCheck={false}
          {...form.getInputProps(`${path}.name`)}
          onChange={({ currentTarget: { value } }) => {
            // Another field with the same key has an error, too.
            for (const at of form.values.fields.keys()) form.clearFieldError(`fields.${at}.name`);
            form.setFieldValue(`${path}.name`, value);
          }}
        />
      </SimpleGrid>
      {field.type === 'select' && (
        <TagsInput
          label={agents.fieldOptions}
          description={agents.fieldOptionsHelp}
          maxTags={100}
          acceptValueOnBlur
          {...form.getInputProps(`${path}.options`)}
        />
      )}
      <Group justify="space-between">
        <Checkbox label={agents.fieldRequired} {...form.getInputProps(`${path}.required`, { type: 'checkbox' })} />
        <CloseButton aria-label={agents.removeField(name)} onClick={onRemove} />
      </Group>
    </Stack>
  );
}
