import { Box, Table, VisuallyHidden } from '@mantine/core';
import { useStrings } from '../strings/strings.tsx';
import classes from './data-table.module.css';
import type { Column } from './data-table.tsx';

interface Props<Row extends { id: string }> {
  /** Names the table for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
}

/** A table of few rows, which is as high as its content. */
export function ShortTable<Row extends { id: string }>({ label, columns, rows }: Props<Row>) {
  const { table } = useStrings();
  return (
    <Box className={classes.scroll}>
      <Table aria-label={label} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ key, title, width, align, from }) => (
              <Table.Th key={key} w={width} ta={align} visibleFrom={from}>
                {title || <VisuallyHidden>{table.actions}</VisuallyHidden>}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              {columns.map(({ key, cell, align, from }) => (
                <Table.Td key={key} ta={align} visibleFrom={from} className={classes.cell}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
