import { Alert, Badge, Group, Paper, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDeviceFloppy, IconSparkles } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { useQuery } from '../../graph/graph-hooks.ts';
import { Note, SmallAction } from '../../parts/elements.tsx';
import { FormDialog, ticked, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { formatValue } from '../../values/format.ts';
import {
  ASK_MAPPING,
  type ColumnChoice,
  ColumnUses,
  choiceKey,
  choicesOf,
  completed,
  isComplete,
  keyOf,
  PROPOSAL,
  type Proposal,
  SAVE_MAPPING,
  specialUses,
  type TableMapping,
} from './column-uses.tsx';

/** The uses of the columns by table; null for a table that a model reads. */
export type Choices = ReadonlyMap<string, ColumnChoice[] | null>;

/** The mapping of the tables whose columns are assigned. A proposal that a saved mapping gives counts until the user decides. */
export const mappingOf = (tables: readonly Proposal[], choices: Choices): TableMapping[] =>
  tables.flatMap((table) => {
    const { fileId, sheet } = table;
    const columns = chosenIn(table, choices);
    return columns && isComplete(columns) ? [{ fileId, sheet, columns }] : [];
  });

const chosenIn = (table: Proposal, choices: Choices): ColumnChoice[] | null => {
  const chosen = choices.get(keyOf(table));
  return chosen === undefined && table.saved.length > 0 ? choicesOf(table) : (chosen ?? null);
};

interface Props {
  tables: readonly Proposal[];
  choices: Choices;
  onChoose(key: string, columns: ColumnChoice[] | null): void;
}

/** The step in which the columns of the uploaded tables get their use. */
export function Columns({ tables, choices, onChoose }: Props) {
  const { mapping, terms } = useStrings();
  /** One answer is about all tables of a file. Columns that the user has given a use keep it. */
  const complete = (asked: readonly Proposal[]) => {
    for (const table of asked) {
      const columns = chosenIn(table, choices);
      if (columns) onChoose(keyOf(table), completed(columns, choicesOf(table)));
    }
  };
  if (tables.length === 0) return null;
  return (
    <Stack component="section" gap="sm" aria-label={terms.columns}>
      <div>
        <Text size="md" fw={500}>
          {terms.columns}
        </Text>
        <Note>{mapping.text}</Note>
      </div>
      {tables.map((table) => (
        <SheetTable
          key={keyOf(table)}
          table={table}
          columns={chosenIn(table, choices)}
          onChoose={(columns) => onChoose(keyOf(table), columns)}
          onAsked={complete}
        />
      ))}
    </Stack>
  );
}

interface SheetTableProps {
  table: Proposal;
  /** Null while a model reads the table. */
  columns: ColumnChoice[] | null;
  onChoose(columns: ColumnChoice[] | null): void;
  /** Called with the proposals of a model for all tables of the file. */
  onAsked(tables: readonly Proposal[]): void;
}

function SheetTable({ table, columns, onChoose, onAsked }: SheetTableProps) {
  const { mapping } = useStrings();
  const [isSaving, setSaving] = useState(false);
  const [asking, ask] = useMutation(ASK_MAPPING);
  const { fileId, file, sheet, saved } = table;
  const name = sheet === 'CSV' ? file : `${file}, ${sheet}`;

  async function askModel() {
    const { data } = await ask({ file: fileId });
    if (data) onAsked(data.askImportMapping);
  }
  return (
    <Paper withBorder p="sm" component="fieldset" aria-label={name} miw={0} m={0}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {saved[0] && (
            <Badge color="teal" variant="light" tt="none" role="status">
              {mapping.recognized(saved[0].supplier)}
            </Badge>
          )}
        </Group>
        <Switch
          {...ticked(columns !== null, (isOn) => onChoose(isOn ? choicesOf(table) : null))}
          label={mapping.assign}
          description={mapping.assignText}
        />
        {columns && (
          <>
            <ColumnUses table={table} columns={columns} onChange={onChoose} />
            {isComplete(columns) ? (
              <TriedPreview table={table} columns={columns} />
            ) : (
              <Alert color="orange" role="alert">
                {mapping.incomplete}
              </Alert>
            )}
            <Group gap="sm">
              {columns.some((column) => choiceKey(column) === specialUses.source) && (
                <SmallAction label={mapping.ask} icon={IconSparkles} loading={asking.fetching} onClick={askModel} />
              )}
              <SmallAction
                label={mapping.save}
                icon={IconDeviceFloppy}
                disabled={!isComplete(columns)}
                onClick={() => setSaving(true)}
              />
            </Group>
          </>
        )}
      </Stack>
      {columns && isSaving && (
        <SaveMapping columns={columns} supplier={saved[0]?.supplier ?? ''} onSaved={onChoose} onClose={() => setSaving(false)} />
      )}
    </Paper>
  );
}

/** Milliseconds after the last change, until which the preview stays. */
const PAUSE = 400;

/** The first rows with the uses that the user has chosen. */
function TriedPreview({ table, columns }: { table: Proposal; columns: ColumnChoice[] }) {
  const { fileId, sheet } = table;
  const [tried] = useDebouncedValue(columns, PAUSE);
  const variables = { files: [fileId], mapping: [{ fileId, sheet, columns: tried }] };
  const [{ data, error, fetching }] = useQuery({ query: PROPOSAL, variables });
  const shown = data?.proposeImportMapping.find((each) => each.sheet === sheet);
  if (!shown) return error ? <Alert color="red">{error.graphQLErrors[0]?.message ?? error.message}</Alert> : null;
  return <Preview table={shown} isOld={fetching || tried !== columns} />;
}

interface SaveMappingProps {
  columns: ColumnChoice[];
  supplier: string;
  /** Called with the columns, whose new attributes now exist. */
  onSaved(columns: ColumnChoice[]): void;
  onClose(): void;
}

/** Saves the uses of the columns for a supplier, whose next files are recognized by their columns. */
function SaveMapping({ columns, supplier, onSaved, onClose }: SaveMappingProps) {
  const { mapping, actions } = useStrings();
  const [, save] = useMutation(SAVE_MAPPING);
  const form = useClosingForm({ initialValues: { supplier }, required: ['supplier'] });
  async function submit(values: typeof form.values) {
    const { data } = await save({ input: { supplier: values.supplier.trim(), columns } });
    if (!data) return;
    const ids = new Map(data.saveImportMapping.columns.map(({ column, attributeId }) => [column, attributeId]));
    onSaved(columns.map((each) => ({ ...each, newAttribute: undefined, attributeId: ids.get(each.column) })));
    showDone(mapping.saved(data.saveImportMapping.supplier));
    onClose();
  }
  return (
    <FormDialog onClose={onClose} title={mapping.saveTitle} form={form} onSubmit={submit} submit={actions.save}>
      <TextInput {...form.field('supplier', mapping.supplier, mapping.supplierText)} maxLength={128} data-autofocus />
    </FormDialog>
  );
}

type Row = Proposal['rows'][number];
type Column = Proposal['columns'][number];

/** The first rows of a table as the import will read them: each cell, and below it what becomes of it. */
function Preview({ table: { columns, rows }, isOld }: { table: Proposal; isOld: boolean }) {
  const { mapping, terms } = useStrings();
  const used = columns.filter(({ field, attribute, newAttribute }) => field || attribute || newAttribute);
  return (
    <Stack gap={4} opacity={isOld ? 0.6 : 1} aria-busy={isOld}>
      <Text fw={500}>{mapping.preview}</Text>
      <Table.ScrollContainer minWidth={0} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label={mapping.preview} layout="auto">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{terms.row}</Table.Th>
              {used.map((column) => (
                <Table.Th key={column.column}>
                  <Title column={column} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.row}>
                <Table.Td>{row.row}</Table.Td>
                {used.map((column) => (
                  <Table.Td key={column.column} maw={240}>
                    {row.data ? <Cell row={row} column={column} /> : <Text>{mapping.noProduct}</Text>}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function Title({ column: { column, field, attribute, newAttribute } }: { column: Column }) {
  const { mapping, products } = useStrings();
  const name = attribute?.name ?? newAttribute?.name ?? (field ? { ...products, ...mapping.fieldNames }[field] : '');
  return (
    <>
      {name}
      {name !== column && (
        <Text size="xs" c="dimmed" fw={400}>
          {column}
        </Text>
      )}
    </>
  );
}

function Cell({ row: { data, parent, values, questions }, column: { column, field } }: { row: Row; column: Column }) {
  const strings = useStrings();
  const { mapping } = strings;
  const question = questions.find((each) => each.column === column);
  const value = values.find((each) => each.column === column);
  if (question)
    return (
      <>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {question.cell}
        </Text>
        <Text c="var(--mantine-color-orange-light-color)">{mapping.asked}</Text>
      </>
    );
  if (value)
    return (
      <>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {value.cell}
        </Text>
        <Text lineClamp={2}>{formatValue(value.value, value.attributeType, strings)}</Text>
      </>
    );
  const text = field === 'parent' ? parent : field && field !== 'isParent' ? data?.[field] : null;
  return (
    <Text lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  );
}
