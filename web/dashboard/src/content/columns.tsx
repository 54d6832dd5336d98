import { ActionIcon, Button, Checkbox, Group, Input, Paper, Select, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useStrings } from '../strings/strings.tsx';
import type { Column, Field, Place } from './kind.ts';
import { RecordChoice } from './record-choice.tsx';

interface Props {
  field: Field;
  place: Place;
  label: string;
  error?: ReactNode;
  readOnly?: boolean;
  /** The stored columns. Those of a collection keep their types. */
  before?: Column[];
  value: Column[];
  onChange(columns: Column[]): void;
}

const hasOptions = (type: string) => type === 'option' || type === 'select';
const isReference = (type: string) => type === 'reference' || type === 'multi-reference';

/** Edits the fields of a collection or of a form, in their order. */
export function Columns({ field, place, label, error, readOnly, before = [], value, onChange }: Props) {
  const { content } = useStrings();
  const change = (at: number, next: Partial<Column>) =>
    onChange(value.map((each, nth) => (nth === at ? { ...each, ...next } : each)));
  const move = (at: number, to: number) => onChange(value.with(at, value[to]!).with(to, value[at]!));
  const add = () => onChange([...value, { name: '', label: '', type: 'text', required: false, options: [] }]);
  return (
    <Input.Wrapper label={label} error={error} labelElement="div" withAsterisk>
      <Stack gap="sm" mt={6}>
        {value.map((column, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no id, and their names change while they are typed.
          <Paper key={at} withBorder p="sm" role="group" aria-label={column.name || content.newColumn}>
            <Group justify="end" gap={4} mb={4}>
              <ActionIcon
                variant="subtle"
                color="gray"
                disabled={at === 0}
                aria-label={content.moveUp}
                onClick={() => move(at, at - 1)}
              >
                <IconArrowUp size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                disabled={at === value.length - 1}
                aria-label={content.moveDown}
                onClick={() => move(at, at + 1)}
              >
                <IconArrowDown size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={content.removeColumn}
                onClick={() => onChange(value.filter((_, nth) => nth !== at))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Group>
            <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
              <TextInput
                label={content.columnName}
                description={content.columnNameHelp}
                maxLength={64}
                spellCheck={false}
                readOnly={readOnly}
                value={column.name}
                onChange={({ currentTarget }) => change(at, { name: currentTarget.value })}
              />
              <TextInput
                label={content.columnLabel}
                description={content.columnLabelHelp}
                maxLength={255}
                readOnly={readOnly}
                value={column.label ?? ''}
                onChange={({ currentTarget }) => change(at, { label: currentTarget.value })}
              />
              <Select
                label={content.columnType}
                description={content.columnTypeHelp}
                allowDeselect={false}
                disabled={field.columnTypes?.includes('reference') && before.some(({ name }) => name === column.name)}
                data={(field.columnTypes ?? []).map((type) => ({ value: type, label: content.columnTypes[type] ?? type }))}
                value={column.type}
                onChange={(type) => type && change(at, { type, options: [], collectionId: undefined })}
              />
            </SimpleGrid>
            {hasOptions(column.type) && (
              <TagsInput
                mt="sm"
                label={content.options}
                description={content.optionsHelp}
                value={column.options}
                onChange={(options) => change(at, { options })}
              />
            )}
            {isReference(column.type) && (
              <RecordChoice
                label={content.referenced}
                disabled={before.some(({ name }) => name === column.name)}
                field={{ name: '', label: '', type: 'record', of: 'collections' }}
                place={place}
                value={column.collectionId ?? null}
                onChange={(collectionId) => change(at, { collectionId: collectionId as string | null })}
              />
            )}
            <Checkbox
              mt="sm"
              label={content.requiredColumn}
              checked={column.required}
              onChange={({ currentTarget }) => change(at, { required: currentTarget.checked })}
            />
          </Paper>
        ))}
        <Group>
          <Button size="xs" variant="default" onClick={add} leftSection={<IconPlus size={14} aria-hidden />}>
            {content.addColumn}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
