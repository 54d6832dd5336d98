import { Autocomplete, Paper, Table, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { useQuery } from '../../graph/graph-hooks.ts';
import type { Column } from '../../parts/data-table.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { Definition } from '../../values/definitions.ts';
import type { Content } from '../../values/format.ts';
import { ValueField } from '../../values/value-field.tsx';
import { BRANDS, CATEGORIES, names } from './filters.tsx';
import { contentOf, FIELD_LENGTHS, type GridField, isCut, isGridField, type Place, type Unsaved } from './grid-cells.ts';
import { type Row, useValueText } from './list-columns.tsx';
import type { UnsavedCells } from './value-edits.ts';
import classes from './value-grid.module.css';

/** The edit of a cell: its product, the value that the reader saw, and the one to begin with. */
export interface Editing extends Place {
  product: Row;
  before: Content;
  start: Content;
}

/** Where the reader goes after an edit. */
export type Move = 'down' | 'right' | 'left' | 'stay';

export const cellId = ({ row, column }: Place): string => `cell-${row}-${column}`;

interface HeadProps {
  columns: readonly Column<Row>[];
  definitions: ReadonlyMap<string, Definition>;
}

/** The names of the columns, with the units of their attributes. Memoized like the rows. */
export const GridHead = memo(function GridHead({ columns, definitions }: HeadProps) {
  return (
    <Table.Thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, title, width, align, pinned }, at) => (
          <Table.Th
            key={key}
            role="columnheader"
            aria-colindex={at + 1}
            w={width}
            data-align={align}
            data-pinned={pinned || undefined}
            className={classes.head}
          >
            {title}
            {unitOf(definitions.get(key)?.unit)}
          </Table.Th>
        ))}
      </tr>
    </Table.Thead>
  );
});

const unitOf = (unit?: string | null) => (unit ? ` (${unit})` : '');

interface RowProps {
  index: number;
  /** Undefined until the row has loaded. */
  row: Row | undefined;
  columns: readonly Column<Row>[];
  definitions: ReadonlyMap<string, Definition>;
  unsaved: UnsavedCells | undefined;
  /** The column of the active cell, if it is in this row. */
  active: number | undefined;
  /** The selected columns of the row. */
  from: number | undefined;
  to: number | undefined;
  editing: Editing | undefined;
  onCommit(editing: Editing, value: Content, move: Move): void;
  onCancel(): void;
}

/** A row of the grid. Memoized, because a move of the active cell renders the grid, and two of its rows are new. */
export const GridRow = memo(function GridRow(props: RowProps) {
  const { index, row, columns, definitions, unsaved, active, from, to, editing, onCommit, onCancel } = props;
  return (
    <tr aria-rowindex={index + 2} className={classes.row}>
      {columns.map((column, at) => {
        const definition = definitions.get(column.key);
        const cell = unsaved?.[column.key];
        const isActive = active === at;
        const isEditing = isActive && editing !== undefined && definition !== undefined;
        const states = {
          role: at === 0 ? 'rowheader' : 'gridcell',
          'aria-colindex': at + 1,
          'aria-selected': from !== undefined && from <= at && at <= to!,
          'aria-readonly': definition === undefined,
          'aria-invalid': cell !== undefined && cell.state !== 'saving',
          'aria-busy': cell?.state === 'saving',
        };
        return (
          <td
            key={column.key}
            id={cellId({ row: index, column: at })}
            {...states}
            data-row={index}
            data-column={at}
            data-align={column.align}
            data-active={isActive || undefined}
            data-pinned={column.pinned || undefined}
            className={classes.cell}
          >
            {isEditing ? (
              <CellEditor
                field={column.key}
                editing={editing}
                definition={definition}
                unsaved={cell}
                onCommit={onCommit}
                onCancel={onCancel}
              />
            ) : (
              row && <CellContent row={row} column={column} definition={definition} unsaved={cell} isActive={isActive} />
            )}
          </td>
        );
      })}
    </tr>
  );
});

interface ContentProps {
  row: Row;
  column: Column<Row>;
  definition: Definition | undefined;
  unsaved: Unsaved | undefined;
  isActive: boolean;
}

function CellContent({ row, column, definition, unsaved, isActive }: ContentProps) {
  const { productGrid: words } = useStrings();
  const textOf = useValueText();
  if (!definition) return <div className={classes.text}>{column.cell(row)}</div>;
  const entered = unsaved && textOf({ ...NO_ATTRIBUTE, attributeType: definition.type, value: unsaved.value ?? null }, definition);
  const value = { ...NO_ATTRIBUTE, attributeType: definition.type, value: contentOf(row, column.key) ?? null };
  const stored = textOf(value, definition, isCut(row, column.key));
  // A value of somebody else is never hidden by the own one.
  const text = entered === undefined || unsaved?.state === 'conflict' ? stored : entered;
  const message =
    unsaved?.state === 'conflict'
      ? words.conflict(stored || words.empty, entered || words.empty)
      : unsaved?.state === 'limit'
        ? words.overLimit(unsaved.message ?? '')
        : unsaved?.state === 'refused'
          ? words.refused(unsaved.message ?? '')
          : undefined;
  return (
    <>
      <div className={classes.text} title={text}>
        {text}
      </div>
      {message && <div className={isActive ? classes.message : classes.hidden}>{message}</div>}
    </>
  );
}

const NO_ATTRIBUTE = { attributeId: null, attributeName: '' };

interface EditorProps {
  /** The key of the column. */
  field: string;
  editing: Editing;
  definition: Definition;
  unsaved: Unsaved | undefined;
  onCommit(editing: Editing, value: Content, move: Move): void;
  onCancel(): void;
}

/** The field of a value above its cell. Enter and Tab save, Escape gives up. A list of options gets the keys that it uses. */
function CellEditor({ field, editing, definition, unsaved, onCommit, onCancel }: EditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [value, setValue] = useState<Content>(editing.start);
  const isOver = useRef(false);
  useEffect(() => {
    const field = frame.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input:not([type=hidden]), textarea');
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  const isChoice = definition.type === 'boolean' || (definition.type === 'select' && definition.options.length > 0);

  function commit(next: Content, move: Move) {
    if (isOver.current) return;
    isOver.current = true;
    onCommit(editing, next, move);
  }
  function change(next: Content) {
    setValue(next);
    if (isChoice && next !== value) commit(next, 'stay');
  }
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    event.stopPropagation();
    const { key, shiftKey, altKey, target, nativeEvent } = event;
    const isListOpen = (target as HTMLElement).dataset.mantineStopPropagation !== undefined;
    if (nativeEvent.isComposing || event.defaultPrevented) return;
    if (key === 'Escape' && !isListOpen) {
      isOver.current = true;
      onCancel();
    } else if (key === 'Enter' && !shiftKey && !altKey) {
      event.preventDefault();
      commit(value, 'down');
    } else if (key === 'Tab') {
      event.preventDefault();
      commit(value, shiftKey ? 'left' : 'right');
    }
  }
  const error = unsaved && unsaved.state !== 'saving' ? unsaved.message : undefined;
  return (
    <Paper
      ref={frame}
      shadow="md"
      withBorder
      className={classes.editor}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget }) => {
        const isOutside = relatedTarget && !frame.current?.contains(relatedTarget) && !relatedTarget.closest('[data-portal]');
        if (isOutside) commit(value, 'stay');
      }}
    >
      {isGridField(field) ? (
        <FieldInput field={field} label={definition.name} value={String(value ?? '')} onChange={change} error={error} />
      ) : (
        <ValueField inCell definition={definition} value={value} onChange={change} error={error} />
      )}
    </Paper>
  );
}

interface Props {
  field: GridField;
  label: string;
  value: string;
  onChange(value: string): void;
  error?: string;
}

/** The input of a field in a cell. Brands and categories are suggested. */
function FieldInput({ field, label, value, onChange, error }: Props) {
  const [search] = useDebouncedValue(value, 200);
  const [{ data: brands }] = useQuery({ query: BRANDS, variables: { search }, pause: field !== 'brand' });
  const [{ data: categories }] = useQuery({ query: CATEGORIES, variables: { search }, pause: field !== 'category' });
  const common = {
    'aria-label': label,
    size: 'xs' as const,
    maxLength: FIELD_LENGTHS[field],
    value,
    error,
    'data-autofocus': true,
  };
  if (field !== 'brand' && field !== 'category')
    return <TextInput {...common} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
  return <Autocomplete {...common} onChange={onChange} data={names((brands?.brands ?? categories?.categories)?.nodes)} />;
}
