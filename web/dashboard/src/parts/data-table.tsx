import {
  Box,
  Checkbox,
  Group,
  type MantineBreakpoint,
  ScrollArea,
  Skeleton,
  Table,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useInterval, useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowsSort, IconArrowUp, type TablerIcon } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { CombinedError } from 'urql';
import { isExcluded } from '../graph/graph-client.ts';
import { useStrings } from '../strings/strings.tsx';
import classes from './data-table.module.css';
import { Empty, type EmptyProps, Failure, Loading, Outdated } from './page-frame.tsx';

export interface Column<Row> {
  /** Also the name of the sort field. */
  key: string;
  /** Empty for a column of actions. */
  title: string;
  cell(row: Row): ReactNode;
  width?: number;
  align?: 'right';
  sortable?: boolean;
  /** The column is hidden on screens narrower than this. */
  from?: MantineBreakpoint;
  /** The column stays in view while the table scrolls sideways. Only the first one can. */
  pinned?: boolean;
}

/** Rows that may not all be in memory. `usePages` reads them from the server, `allRows` wraps an array. */
export interface Rows<Row> {
  /** Undefined until the first page has loaded. */
  count: number | undefined;
  at(index: number): Row | undefined;
  onRange?(first: number, last: number): void;
  /** The rows belong to an earlier search. */
  isStale?: boolean;
  error?: CombinedError;
  retry?(): void;
}

export interface Sort {
  by: string;
  order: 'asc' | 'desc';
}

interface Props<Row extends { id: string }> {
  /** Names the table for screen readers. */
  label: string;
  /** Memoize the columns of long or live tables, so that only changed rows render. */
  columns: Column<Row>[];
  rows: Rows<Row>;
  /** The state without rows. */
  empty: EmptyProps;
  sort?: Sort;
  onSort?(sort: Sort): void;
  selected?: ReadonlySet<string>;
  onSelect?(ids: ReadonlySet<string>): void;
  rowHeight?: number;
  /** Columns keep their widths while the table scrolls. Only one or two of them should have none. */
  fixed?: boolean;
  /** A wider table scrolls sideways in its own region. */
  minWidth?: number;
  /** The table takes the height that is left, but not less than these pixels. */
  minHeight?: number;
}

const ROW_HEIGHT = 45;
/** Maximum rows that one click selects. */
const MAX_AT_ONCE = 1_000;

/** Rows of an array. */
export const allRows = <Row,>(rows: readonly Row[]): Rows<Row> => ({ count: rows.length, at: (index) => rows[index] });

/** Whether the rows are those of an earlier read, because the last one failed. */
export const isOutdated = ({ count, error }: Rows<unknown>): boolean => !!error && !!count && !isExcluded(error);

/** A table of any length. It renders only visible rows and fills the height of its container. */
export function DataTable<Row extends { id: string }>({ minHeight, ...props }: Props<Row>) {
  if (!minHeight) return <Content {...props} />;
  return (
    <Box flex={1} mih={minHeight}>
      <Content {...props} />
    </Box>
  );
}

function Content<Row extends { id: string }>(props: Props<Row>) {
  const { label, columns, rows, empty, selected, onSelect, rowHeight = ROW_HEIGHT, fixed, minWidth } = props;
  const viewport = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.count ?? 0,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 5,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const { onRange } = rows;
  useEffect(() => onRange?.(first, last), [onRange, first, last]);
  const [minute, setMinute] = useState(0);
  useInterval(() => setMinute((before) => before + 1), 60_000, { autoInvoke: true });
  const selection = useRef({ selected, onSelect });
  selection.current = { selected, onSelect };
  const toggle = useCallback((id: string) => {
    const ids = new Set(selection.current.selected);
    if (!ids.delete(id)) ids.add(id);
    selection.current.onSelect?.(ids);
  }, []);

  if (rows.error && !isOutdated(rows)) return <Failure error={rows.error} retry={rows.retry} />;
  if (rows.count === undefined) return <Loading />;
  if (rows.count === 0) return <Empty {...empty} />;
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className={classes.frame}>
      {rows.error && <Outdated error={rows.error} retry={rows.retry} />}
      <ScrollArea
        viewportRef={viewport}
        className={classes.area}
        viewportProps={{ tabIndex: 0, 'aria-label': label, role: 'region' }}
        type="auto"
      >
        <Table
          aria-label={label}
          aria-rowcount={rows.count + 1}
          data-stale={rows.isStale || undefined}
          className={fixed ? `${classes.table} ${classes.fixed}` : classes.table}
          miw={minWidth}
          stickyHeader
          highlightOnHover
        >
          <Heads {...props} />
          <Table.Tbody>
            {above > 0 && <Gap height={above} />}
            {items.map(({ index }) => {
              const row = rows.at(index);
              return (
                <TableRow<Row>
                  key={row?.id ?? index}
                  index={index}
                  row={row}
                  columns={columns}
                  height={rowHeight}
                  minute={minute}
                  isSelected={row && selected?.has(row.id)}
                  onToggle={onSelect && toggle}
                />
              );
            })}
            {below > 0 && <Gap height={below} />}
          </Table.Tbody>
        </Table>
      </ScrollArea>
    </div>
  );
}

interface RecordTableProps<Row extends { id: string }> extends Pick<Props<Row>, 'label' | 'columns'> {
  records: readonly Row[];
  /** Explains the records. */
  text: string;
  /** The button that adds a record. */
  add: ReactNode;
  /** The empty state. */
  icon: TablerIcon;
  title: string;
}

/** All records of a kind, with an explanation and a button to add one. Without records, the empty state shows both. */
export const RecordTable = <Row extends { id: string }>({ records, text, add, icon, title, ...table }: RecordTableProps<Row>) => (
  <>
    {records.length > 0 && (
      <Group justify="space-between" mb="sm">
        <Text>{text}</Text>
        {add}
      </Group>
    )}
    <DataTable {...table} rows={allRows(records)} empty={{ icon, title, text, action: add }} />
  </>
);

/** Memoized, because a scroll event renders the table, and few of its rows are new. */
const Heads = memo(function Heads<Row extends { id: string }>({ columns, rows, sort, onSort, selected, onSelect }: Props<Row>) {
  const { table } = useStrings();
  const loaded = () =>
    Array.from({ length: Math.min(rows.count ?? 0, MAX_AT_ONCE) }, (_, index) => rows.at(index)?.id).filter(
      (id) => id !== undefined,
    );
  const all = selected !== undefined && selected.size > 0 && loaded().length > 0 && loaded().every((id) => selected.has(id));
  return (
    <Table.Thead>
      <Table.Tr aria-rowindex={1}>
        {onSelect && (
          <Table.Th w={44}>
            <Checkbox
              aria-label={table.selectAll}
              checked={all}
              indeterminate={!all && selected!.size > 0}
              onChange={() => onSelect(new Set(all ? [] : [...selected!, ...loaded()]))}
            />
          </Table.Th>
        )}
        {columns.map(({ key, title, width, align, sortable, from, pinned }) => {
          const order = sort?.by === key ? sort.order : undefined;
          const Icon = order === undefined ? IconArrowsSort : order === 'asc' ? IconArrowUp : IconArrowDown;
          return (
            <Table.Th
              key={key}
              w={width}
              ta={align}
              visibleFrom={from}
              className={pinned ? classes.pinned : undefined}
              aria-sort={order && (order === 'asc' ? 'ascending' : 'descending')}
            >
              {sortable && onSort ? (
                <UnstyledButton
                  className={classes.head}
                  onClick={() => onSort({ by: key, order: order === 'asc' ? 'desc' : 'asc' })}
                >
                  {title} <Icon size={14} aria-hidden />
                </UnstyledButton>
              ) : (
                title || <VisuallyHidden>{table.actions}</VisuallyHidden>
              )}
            </Table.Th>
          );
        })}
      </Table.Tr>
    </Table.Thead>
  );
}) as <Row extends { id: string }>(props: Props<Row>) => ReactNode;

interface TableRowProps<Row> {
  index: number;
  /** Undefined until the row has loaded. */
  row: Row | undefined;
  columns: Column<Row>[];
  height: number;
  /** Renders the row again, because a time such as "5 minutes ago" changes without the row. */
  minute: number;
  isSelected?: boolean;
  onToggle?(id: string): void;
}

const TableRow = memo(function TableRow<Row extends { id: string }>(props: TableRowProps<Row>) {
  const { index, row, columns, height, isSelected, onToggle } = props;
  const { table } = useStrings();
  return (
    <Table.Tr
      aria-rowindex={index + 2}
      h={height}
      data-selected={isSelected || undefined}
      bg={isSelected ? 'var(--mantine-primary-color-light)' : undefined}
    >
      {onToggle && (
        <Table.Td>
          {row && <Checkbox aria-label={table.select} checked={isSelected ?? false} onChange={() => onToggle(row.id)} />}
        </Table.Td>
      )}
      {columns.map(({ key, cell, align, from, pinned }, at) => (
        // Hundreds of these appear in one frame, and the component of the library costs ten times as much as the element.
        <td
          key={key}
          data-align={align}
          className={[classes.data, from && `mantine-visible-from-${from}`, pinned && classes.pinned].filter(Boolean).join(' ')}
        >
          {row ? cell(row) : at === 0 && <Skeleton h={12} animate={false} />}
        </td>
      ))}
    </Table.Tr>
  );
}) as <Row extends { id: string }>(props: TableRowProps<Row>) => ReactNode;

/** In place of rows outside the view. It spans no columns, because hidden ones would take part in the layout. */
const Gap = ({ height }: { height: number }) => (
  <Table.Tr aria-hidden h={height}>
    <Table.Td p={0} />
  </Table.Tr>
);

interface ShortTableProps<Row extends { id: string }> extends Pick<Props<Row>, 'label' | 'columns'> {
  rows: readonly Row[];
}

/** A table of few rows, which is as high as its content. */
export function ShortTable<Row extends { id: string }>({ label, columns, rows }: ShortTableProps<Row>) {
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

/** The column with the buttons of a row. */
export const actionColumn = <Row,>(title: string, width: number, buttons: (row: Row) => ReactNode): Column<Row> => ({
  key: 'actions',
  title,
  width,
  align: 'right',
  cell: (row) => (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {buttons(row)}
    </Group>
  ),
});

/** A path such as `Furniture > Chairs` in a cell. */
export const PathCell = ({ path }: { path?: string | null }) =>
  path && (
    <span className={classes.path} title={path}>
      <bdi>{path}</bdi>
    </span>
  );

/** Whether the screen has room for tables with many columns. The width is the breakpoint `sm`. */
export const useIsWide = (): boolean => useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
