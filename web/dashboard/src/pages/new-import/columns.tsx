import { Alert, Badge, Group, Paper, Stack, Switch, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDeviceFloppy, IconSparkles } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { useQuery } from '../../graph/graph-hooks.ts';
import { Note, SmallAction } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';
import {
  ASK_MAPPING,
  type ColumnChoice,
  choiceKey,
  choicesOf,
  completed,
  isComplete,
  keyOf,
  PROPOSAL,
  type Proposal,
  specialUses,
  type TableMapping,
} from './column-choices.ts';
import { ColumnUses } from './column-uses.tsx';
import { Preview } from './first-rows.tsx';
import { SaveMapping } from './save-mapping.tsx';

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
        <Table
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

interface TableProps {
  table: Proposal;
  /** Null while a model reads the table. */
  columns: ColumnChoice[] | null;
  onChoose(columns: ColumnChoice[] | null): void;
  /** Called with the proposals of a model for all tables of the file. */
  onAsked(tables: readonly Proposal[]): void;
}

function Table({ table, columns, onChoose, onAsked }: TableProps) {
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
          label={mapping.assign}
          description={mapping.assignText}
          checked={columns !== null}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked ? choicesOf(table) : null)}
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
