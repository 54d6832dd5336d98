import { Badge, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type {
  ColumnAttributesQuery,
  ImportColumnInput,
  ImportTableMapping,
  TableProposalFragment,
} from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note } from '../../parts/elements.tsx';
import { Choice, typed } from '../../parts/forms-and-dialogs.tsx';
import { slugOf } from '../../parts/naming.ts';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

graphql(`
  fragment TableProposal on ImportTableProposal {
    fileId file sheet pages saved { id supplier }
    columns {
      column field attribute { id name } newAttribute { name slug type unit } unit decimalMark detectedUnit detectedDecimalMark isIgnored reason samples
    }
    rows { row data { name sku brand category manufacturer mpn uom externalId } parent values { column cell value attributeType } questions { column cell text } }
  }
`);
export const PROPOSAL = graphql(`
  query ImportProposal($files: [ID!]!, $mapping: [ImportTableMapping!]) {
    proposeImportMapping(uploadedFileIds: $files, mapping: $mapping) { ...TableProposal }
  }
`);
export const ASK_MAPPING = graphql(`
  mutation AskMapping($file: ID!) { askImportMapping(uploadedFileId: $file) { ...TableProposal } }
`);

const PRODUCT_ATTRIBUTES = graphql(`query ColumnAttributes { attributes(subject: product) { id name slug type unit } }`);

export const SAVE_MAPPING = graphql(`
  mutation SaveMapping($input: NewImportMapping!) { saveImportMapping(input: $input) { id supplier columns { column attributeId } } }
`);

export type Proposal = TableProposalFragment;
export type TableMapping = Omit<ImportTableMapping, 'columns'> & { columns: ColumnChoice[] };
export type ColumnChoice = ImportColumnInput;

/** Identifies a table in the files of an import. */
export const keyOf = ({ fileId, sheet }: { fileId: string; sheet?: string | null }): string => `${fileId} ${sheet}`;

/** The proposed uses as the choice of the user. Detected formats are none, because they belong to this file. */
export const choicesOf = ({ columns }: Proposal): ColumnChoice[] =>
  columns.map(({ column, field, attribute, newAttribute, unit, decimalMark, isIgnored }) => ({
    ...{ column, field, attributeId: attribute?.id, unit, decimalMark, isIgnored },
    newAttribute: newAttribute && { ...newAttribute },
  }));

const NEW = 'new';
const SOURCE = 'source';
const IGNORED = 'ignored';

/** The use of a column as the value of a select. */
export function choiceKey({ field, attributeId, newAttribute, isIgnored }: ColumnChoice): string {
  if (isIgnored) return IGNORED;
  if (newAttribute) return NEW;
  if (field) return `field ${field}`;
  return attributeId ? `attribute ${attributeId}` : SOURCE;
}

/** The column with another use. A field or attribute moves here from the column that had it. */
function withUse(columns: readonly ColumnChoice[], at: number, use: string): ColumnChoice[] {
  const { column, unit, decimalMark } = columns[at]!;
  const [kind, name] = use.split(' ');
  const field = kind === 'field' ? (name as ColumnChoice['field']) : undefined;
  const attributeId = kind === 'attribute' ? name : undefined;
  const newAttribute = kind === NEW ? { name: column, slug: slugOf(column, 128), type: 'text' as const } : undefined;
  return columns.map((each, place) => {
    if (place === at) return { column, field, attributeId, newAttribute, unit, decimalMark, isIgnored: kind === IGNORED };
    const isMoved = field && field !== 'parent' && each.field === field;
    return {
      ...each,
      field: isMoved ? undefined : each.field,
      attributeId: attributeId && each.attributeId === attributeId ? undefined : each.attributeId,
    };
  });
}

/** The columns, where those that are only a source have the proposed use, unless another column has it. */
export function completed(columns: readonly ColumnChoice[], proposed: readonly ColumnChoice[]): ColumnChoice[] {
  const used = new Set(columns.map(choiceKey));
  return columns.map((each, at) => {
    const proposal = proposed[at];
    return !proposal || choiceKey(each) !== SOURCE || used.has(choiceKey(proposal)) ? each : proposal;
  });
}

/** Whether the columns identify products. */
export const isComplete = (columns: readonly ColumnChoice[]): boolean =>
  columns.some(({ field }) => field === 'sku' || field === 'name');

export const specialUses = { new: NEW, source: SOURCE, ignored: IGNORED };

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
  const { mapping, products, terms, pages } = useStrings();
  const names = { ...products, ...mapping.fieldNames };
  const { isAdmin } = useOrganization();
  const [{ data }] = useQuery({ query: PRODUCT_ATTRIBUTES });
  const attributes = data?.attributes ?? NO_ATTRIBUTES;
  const options = [
    { group: terms.fields, items: fields.map((name) => ({ value: `field ${name}`, label: names[name] })) },
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
        {...typed(unit ?? '', (text) => onChange({ unit: text || undefined }))}
        label={mapping.unit}
        aria-label={`${mapping.unit}: ${column}`}
        placeholder={own ?? undefined}
        maxLength={32}
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
        {...typed(name, (value) => change({ name: value, slug: slugOf(value, 128) }))}
        label={mapping.attributeName}
        aria-label={`${mapping.attributeName}: ${column}`}
        maxLength={128}
        error={slugOf(name, 128) ? null : mapping.noName}
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
