import { Stack, Table, Text } from '@mantine/core';
import { useStrings } from '../../strings/strings.tsx';
import { formatValue } from '../../values/format.ts';
import type { Proposal } from './column-choices.ts';

type Row = Proposal['rows'][number];
type Column = Proposal['columns'][number];

/** The first rows of a table as the import will read them: each cell, and below it what becomes of it. */
export function Preview({ table: { columns, rows }, isOld }: { table: Proposal; isOld: boolean }) {
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
  const { mapping } = useStrings();
  const name = attribute?.name ?? newAttribute?.name ?? (field ? mapping.fieldNames[field] : '');
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
