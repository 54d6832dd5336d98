import { ActionIcon, Checkbox, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ProductEditInput } from '../../.graph/graphql.ts';
import { Choice, NumberField, ticked, typed } from '../parts/forms-and-dialogs.tsx';
import { useStrings } from '../strings/strings.tsx';
import type { Content } from '../values/format.ts';
import { type ValueDefinition, ValueField } from '../values/value-field.tsx';

/** An attribute that a bulk edit can change. */
export type EditableAttribute = ValueDefinition & { slug: string };

const FIELDS = ['name', 'brand', 'category', 'manufacturer', 'mpn', 'uom', 'archived'] as const;
type Field = (typeof FIELDS)[number];
type Action = ProductEditInput['action'];

/** One change as the user enters it. */
export interface EditRow {
  key: number;
  /** A field, or `@` and the slug of an attribute. */
  target: string | null;
  action: Action | null;
  value: Content;
  find: string;
  replacement: string;
  ignoreCase: boolean;
  factor: number | null;
}

export const emptyRow = (key: number): EditRow => ({
  ...{ key, target: null, action: null, value: null, find: '', replacement: '', ignoreCase: false, factor: null },
});

const slugOf = (target: string) => (target.startsWith('@') ? target.slice(1) : undefined);

/** The actions that the content of a target allows. */
function actionsOf(target: string, attributes: readonly EditableAttribute[]): Action[] {
  const slug = slugOf(target);
  if (target === 'archived') return ['set'];
  if (!slug) return target === 'name' ? ['set', 'prefix', 'suffix', 'replace'] : ['set', 'clear', 'prefix', 'suffix', 'replace'];
  const type = attributes.find((each) => each.slug === slug)?.type;
  if (type === 'number') return ['set', 'clear', 'multiply'];
  return type === 'text' || type === 'select' || type === 'multiselect'
    ? ['set', 'clear', 'prefix', 'suffix', 'replace']
    : ['set', 'clear'];
}

/** The change for the server, or undefined while something is missing. */
export function editOf({ target, action, value, find, replacement, ignoreCase, factor }: EditRow): ProductEditInput | undefined {
  if (!target || !action) return undefined;
  const slug = slugOf(target);
  const subject = slug ? { attribute: slug } : { field: target as Field };
  if (action === 'clear') return { ...subject, action };
  if (action === 'multiply') return factor ? { ...subject, action, factor } : undefined;
  if (action === 'replace') return find ? { ...subject, action, find, replacement, ignoreCase } : undefined;
  return value === null || value === undefined || value === '' ? undefined : { ...subject, action, value };
}

interface Props {
  row: EditRow;
  attributes: readonly EditableAttribute[];
  onChange(row: EditRow): void;
  /** Absent for the only row. */
  onRemove?(): void;
}

/** The inputs of one change: the field or attribute, what happens to it, and by what. */
export function EditFields({ row, attributes, onChange, onRemove }: Props) {
  const { products, productEdits, terms, pages } = useStrings();
  const fields = FIELDS.map((field) => ({ value: field, label: field === 'archived' ? productEdits.archived : products[field] }));
  const targets = [
    { group: terms.fields, items: fields },
    { group: pages.attributes, items: attributes.map(({ slug, name }) => ({ value: `@${slug}`, label: name })) },
  ];
  const actions = row.target ? actionsOf(row.target, attributes) : [];
  const choose = (target: string | null) => {
    const allowed = target ? actionsOf(target, attributes) : [];
    onChange({ ...emptyRow(row.key), target, action: allowed[0] ?? null });
  };
  return (
    <Stack gap="xs">
      <Group align="end" wrap="nowrap">
        <SimpleGrid cols={{ base: 1, sm: 2 }} flex={1}>
          <Select label={productEdits.target} data={targets} value={row.target} onChange={choose} searchable />
          <Choice
            label={terms.change}
            data={actions.map((value) => ({ value, label: productEdits.actions[value] }))}
            value={row.action}
            onChange={(action) => onChange({ ...row, action: action as Action, value: null })}
            disabled={!row.target}
          />
        </SimpleGrid>
        {onRemove && (
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={productEdits.remove} onClick={onRemove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <Operand row={row} attributes={attributes} onChange={onChange} />
    </Stack>
  );
}

/** The inputs of an action beside its target. */
function Operand({ row, attributes, onChange }: Omit<Props, 'onRemove'>) {
  const { products, productEdits, terms } = useStrings();
  const { target, action, value } = row;
  if (!target || !action || action === 'clear') return null;
  if (action === 'multiply')
    return <NumberField label={productEdits.factor} value={row.factor} onChange={(factor) => onChange({ ...row, factor })} />;
  if (action === 'replace')
    return (
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput {...typed(row.find, (find) => onChange({ ...row, find }))} label={productEdits.find} maxLength={1_024} />
        <TextInput
          {...typed(row.replacement, (replacement) => onChange({ ...row, replacement }))}
          label={productEdits.replacement}
          maxLength={1_024}
        />
        <Checkbox
          {...ticked(row.ignoreCase, (ignoreCase) => onChange({ ...row, ignoreCase }))}
          mt={{ base: 0, sm: 30 }}
          label={productEdits.ignoreCase}
        />
      </SimpleGrid>
    );
  const slug = slugOf(target);
  const attribute = action === 'set' && slug ? attributes.find((each) => each.slug === slug) : undefined;
  const name = target === 'archived' ? productEdits.archived : slug ? terms.value : products[target as Exclude<Field, 'archived'>];
  const definition: ValueDefinition = attribute ?? { name, type: target === 'archived' ? 'boolean' : 'text' };
  return (
    <ValueField
      key={`${target} ${action}`}
      definition={{ ...definition, name: action === 'set' ? productEdits.newValue : terms.text }}
      value={value}
      onChange={(next) => onChange({ ...row, value: next })}
    />
  );
}
