import { Badge, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { ColumnAttributesQuery } from '../../../.graph/graphql.ts';
import { useQuery } from '../../graph/graph-hooks.ts';
import { Note } from '../../parts/elements.tsx';
import { Choice } from '../../parts/forms-and-dialogs.tsx';
import { slugOf } from '../../parts/slug.ts';
import { useOrganization } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type ColumnChoice, choiceKey, PRODUCT_ATTRIBUTES, type Proposal, specialUses, withUse } from './column-choices.ts';

interface Props {
  table: Proposal;
  columns: ColumnChoice[];
  onChange(columns: ColumnChoice[]): void;
}

type Attribute = ColumnAttributesQuery['attributes'][number];
const NO_ATTRIBUTES: Attribute[] = [];
const fields = ['sku', 'name', 'parent', 'brand', 'category', 'manufacturer', 'mpn', 'uom', 'externalId', 'isParent'] as const;
const types = ['text', 'number', 'boolean', 'date', 'select', 'multiselect', 'html'] as const;

/** The columns of a table, each with its cells and a choice of its use. */
export function ColumnUses({ table, columns, onChange }: Props) {
  const { mapping, terms, pages } = useStrings();
  const { isAdmin } = useOrganization();
  const [{ data }] = useQuery({ query: PRODUCT_ATTRIBUTES });
  const attributes = data?.attributes ?? NO_ATTRIBUTES;
  const options = [
    { group: terms.fields, items: fields.map((name) => ({ value: `field ${name}`, label: mapping.fieldNames[name] })) },
    {
      group: pages.attributes,
      items: [
        ...attributes.map(({ id, name }) => ({ value: `attribute ${id}`, label: name })),
        ...(isAdmin ? [{ value: specialUses.new, label: pages.newAttribute }] : []),
      ],
    },
    {
      group: mapping.others,
      items: [
        { value: specialUses.source, label: mapping.source },
        { value: specialUses.ignored, label: mapping.ignored },
      ],
    },
  ];
  const change = (at: number, changes: Partial<ColumnChoice>) =>
    onChange(columns.map((each, place) => (place === at ? { ...each, ...changes } : each)));
  return (
    <Stack component="ul" gap="md" m={0} p={0} aria-label={terms.columns} style={{ listStyle: 'none' }}>
      {table.columns.map(({ column, samples, reason, detectedUnit, detectedDecimalMark }, at) => {
        const chosen = columns[at];
        if (!chosen) return null;
        const attribute = attributes.find(({ id }) => id === chosen.attributeId);
        return (
          <SimpleGrid component="li" key={column} cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing={4}>
            <Stack gap={2} miw={0}>
              <Group gap={6}>
                <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
                  {column}
                </Text>
                {reason && choiceKey(chosen) !== specialUses.source && (
                  <Badge size="sm" variant="light" color="gray" tt="none">
                    {mapping.reasons[reason]}
                  </Badge>
                )}
              </Group>
              <Note size="xs" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
                {samples.join(' · ') || terms.empty}
              </Note>
            </Stack>
            <Stack gap={6} miw={0}>
              <Choice
                aria-label={mapping.columnUse(column)}
                data={options}
                value={choiceKey(chosen)}
                searchable
                onChange={(use) => onChange(withUse(columns, at, use))}
              />
              {chosen.newAttribute && <NewAttribute choice={chosen} onChange={(changes) => change(at, changes)} />}
              {(attribute?.type === 'number' || chosen.newAttribute?.type === 'number') && (
                <NumberFormat
                  choice={chosen}
                  unit={detectedUnit ?? attribute?.unit}
                  mark={detectedDecimalMark}
                  onChange={(changes) => change(at, changes)}
                />
              )}
            </Stack>
          </SimpleGrid>
        );
      })}
    </Stack>
  );
}

interface PartProps {
  choice: ColumnChoice;
  onChange(changes: Partial<ColumnChoice>): void;
}

interface NumberFormatProps extends PartProps {
  /** The unit and the decimal mark that count while the user chooses none. */
  unit?: string | null;
  mark: Proposal['columns'][number]['detectedDecimalMark'];
}

function NumberFormat({ choice: { column, unit, decimalMark }, unit: own, mark: detected, onChange }: NumberFormatProps) {
  const { mapping, terms } = useStrings();
  return (
    <Group gap="xs" grow align="end">
      <TextInput
        label={mapping.unit}
        aria-label={`${mapping.unit}: ${column}`}
        placeholder={own ?? undefined}
        maxLength={32}
        value={unit ?? ''}
        onChange={({ currentTarget }) => onChange({ unit: currentTarget.value || undefined })}
      />
      <Choice
        label={terms.decimalMark}
        aria-label={`${terms.decimalMark}: ${column}`}
        data={[
          { value: 'auto', label: detected ? mapping.detected(mapping.marks[detected]) : mapping.marks.auto },
          { value: 'comma', label: mapping.marks.comma },
          { value: 'point', label: mapping.marks.point },
        ]}
        value={decimalMark ?? 'auto'}
        onChange={(mark) => onChange({ decimalMark: mark === 'auto' ? undefined : (mark as 'comma') })}
      />
    </Group>
  );
}

function NewAttribute({ choice: { column, newAttribute }, onChange }: PartProps) {
  const { mapping, attributes } = useStrings();
  const { name, type } = newAttribute!;
  const change = (changes: Partial<NonNullable<ColumnChoice['newAttribute']>>) =>
    onChange({ newAttribute: { ...newAttribute!, ...changes } });
  return (
    <Group gap="xs" grow align="end">
      <TextInput
        label={mapping.attributeName}
        aria-label={`${mapping.attributeName}: ${column}`}
        maxLength={128}
        value={name}
        error={slugOf(name, 128) ? null : mapping.noName}
        onChange={({ currentTarget: { value } }) => change({ name: value, slug: slugOf(value, 128) })}
      />
      <Choice
        label={attributes.type}
        aria-label={`${attributes.type}: ${column}`}
        data={types.map((value) => ({ value, label: attributes.types[value] }))}
        value={type}
        onChange={(next) => change({ type: next as typeof type, unit: undefined })}
      />
    </Group>
  );
}
