import { Group, ScrollArea, Table, Text } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp, IconCheck } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import type { Column, Rows } from '../../parts/data-table.tsx';
import { Action, SmallAction } from '../../parts/elements.tsx';
import { useUnsaved } from '../../parts/leaving.ts';
import { showProblem, showUndo } from '../../parts/overlays.tsx';
import { Failure, Loading } from '../../parts/page-frame.tsx';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type Content, isEmpty } from '../../values/format.ts';
import { blockText, MAX_CELLS, MAX_ROWS, readBlock } from './cell-block.ts';
import { isCut, isRequired, type Place, placesOf, shownContent, useCellDefinitions, useSelection } from './grid-cells.ts';
import { columnSlugs, NAME_WIDTH, type Row, useCopiedText } from './list-columns.tsx';
import { type Block, PastePreview } from './paste-preview.tsx';
import { cellId, type Editing, GridHead, GridRow, type Move } from './value-cell.tsx';
import { type Change, useValueEdits } from './value-edits.ts';
import classes from './value-grid.module.css';

const [ROW_HEIGHT, HEAD_HEIGHT] = [38, 37];

interface Props {
  label: string;
  rows: Rows<Row>;
  columns: readonly Column<Row>[];
  minWidth?: number;
  /** Reads rows of the list that may not be in memory. */
  readRows(first: number, last: number): Promise<(Row | undefined)[]>;
  onDone(): void;
}

/**
 * The list of products as a spreadsheet: cells of attributes are edited in place, and blocks of cells are copied and pasted. The grid has the
 * focus, and names its active cell, so that scrolling never loses the focus.
 */
export function ValueGrid({ label, rows, columns, minWidth, readRows, onDone }: Props) {
  const { productGrid: words, actions } = useStrings();
  const definitions = useCellDefinitions();
  const edits = useValueEdits({ slugs: columnSlugs(columns.map(({ key }) => key)), definitions });
  useUnsaved(edits.hasUnsaved);
  // Values on their way are no reason to ask before the grid closes.
  const [isLeaving, setLeaving] = useState(false);
  const leave = useEffectEvent(onDone);
  useEffect(() => {
    if (!isLeaving || edits.isSaving) return;
    setLeaving(false);
    leave();
  }, [isLeaving, edits.isSaving]);
  const grid = useRef<HTMLTableElement>(null);
  const viewport = useRef<HTMLDivElement>(null);
  const done = useRef<HTMLButtonElement>(null);
  const [block, setBlock] = useState<Block | null>(null);
  const { count } = rows;
  const virtual = useVirtualizer({
    count: count ?? 0,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const { onRange } = rows;
  useEffect(() => onRange?.(first, last), [onRange, first, last]);

  const selection = useSelection(count ?? 0, columns.length, (place) => {
    virtual.scrollToIndex(place.row);
    requestAnimationFrame(() => document.getElementById(cellId(place))?.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
  });
  const { active, range, moveBy } = selection;
  const [editing, setEditing] = useState<Editing | null>(null);
  const focus = () => grid.current?.focus({ preventScroll: true });
  const isLoaded = count !== undefined;
  useEffect(() => {
    if (isLoaded) grid.current?.focus({ preventScroll: true });
  }, [isLoaded]);

  const keyAt = (column: number) => columns[column]?.key ?? '';
  /** The cell of an attribute or a field with the value that the reader sees; undefined for other cells. */
  function cellAt({ row: index, column }: Place) {
    const [row, key] = [rows.at(index), keyAt(column)];
    const definition = definitions.get(key);
    if (!row || !definition) return undefined;
    const unsaved = edits.cells.get(row.id)?.[key];
    return { row, key, definition, unsaved, stored: shownContent(row, key, unsaved), isCut: isCut(row, key) };
  }
  function edit(start?: (before: Content) => Content) {
    const cell = cellAt(active);
    if (!cell) return;
    if (cell.isCut) return showProblem(words.tooLong);
    const { stored, unsaved } = cell;
    setEditing({ ...active, product: cell.row, before: stored, start: start ? start(stored) : (unsaved?.value ?? stored) });
  }
  async function commit({ product, column, before }: Editing, value: Content, move: Move) {
    setEditing(null);
    focus();
    if (move === 'down') moveBy(1, 0);
    else if (move !== 'stay') selection.step(move === 'right' ? 1 : -1);
    // Another product may have taken the row meanwhile.
    const key = keyAt(column);
    if (isRequired(key) && isEmpty(value)) return showProblem(words.required(definitions.get(key)!.name));
    const unsaved = edits.cells.get(product.id)?.[key];
    const isRefused = unsaved !== undefined && unsaved.state !== 'saving';
    // The reader has seen the limit, and wants the value.
    const checksLimits = !(unsaved?.state === 'limit' && JSON.stringify(unsaved.value) === JSON.stringify(value));
    if (isRefused) edits.discard(product.id, key);
    await edits.save([{ product, key, before, after: value }], { checksLimits });
  }
  const cancel = useCallback(() => {
    setEditing(null);
    grid.current?.focus({ preventScroll: true });
  }, []);
  const commitRef = useRef(commit);
  commitRef.current = commit;
  const onCommit = useCallback((edited: Editing, value: Content, move: Move) => void commitRef.current(edited, value, move), []);

  /** Saves several values at once, and offers to undo that. */
  async function saveBlock(changes: readonly Change[]) {
    const saved = await edits.save(changes);
    if (saved > 0) showUndo(words.saved(saved), actions.undo, () => void undoRef.current());
    if (saved < changes.length) showProblem(words.notSaved(changes.length - saved));
  }
  const undoRef = useRef(edits.undo);
  undoRef.current = edits.undo;

  /** The reason why the selected cells cannot be copied or cleared as a whole; undefined if they can. */
  function obstacle(): string | undefined {
    const { top, bottom, left, right } = range;
    const height = bottom - top + 1;
    if (height > MAX_ROWS || height * (right - left + 1) > MAX_CELLS) return words.tooMany(MAX_ROWS, MAX_CELLS);
    const isRead = Array.from({ length: height }, (_, at) => rows.at(top + at)).every((row) => row !== undefined);
    return isRead ? undefined : words.unread;
  }
  function clearCells() {
    const reason = obstacle();
    if (reason) return showProblem(reason);
    const changes = [...placesOf(range)].flatMap((place): Change[] => {
      const cell = cellAt(place);
      return cell && !cell.isCut && cell.stored !== null && !isRequired(cell.key)
        ? [{ product: cell.row, key: cell.key, before: cell.stored, after: null }]
        : [];
    });
    if (changes.length > 1) void saveBlock(changes);
    else void edits.save(changes);
  }

  const copied = useCopiedText();
  function onCopy(event: ClipboardEvent) {
    if (editing) return;
    event.preventDefault();
    // A beginning of a long text would be pasted as the whole.
    const reason = obstacle() ?? ([...placesOf(range)].some((place) => cellAt(place)?.isCut) ? words.tooLong : undefined);
    if (reason) return showProblem(reason);
    const { top, bottom, left, right } = range;
    const lines = Array.from({ length: bottom - top + 1 }, (_, at) =>
      columns.slice(left, right + 1).map((column) => copied(rows.at(top + at), column)),
    );
    event.clipboardData.setData('text/plain', blockText(lines));
  }
  async function onPaste(event: ClipboardEvent) {
    if (editing) return;
    event.preventDefault();
    const cells = readBlock(event.clipboardData.getData('text/plain'));
    const width = cells[0]?.length ?? 0;
    if (width === 0) return;
    if (cells.length > MAX_ROWS || cells.length * width > MAX_CELLS) return showProblem(words.tooMany(MAX_ROWS, MAX_CELLS));
    const { top, left } = range;
    const targets = await readRows(top, Math.min(top + cells.length, count ?? 0) - 1).catch(() => null);
    if (!targets) return showProblem(words.unread);
    setBlock({ cells, rows: targets, columns: columns.slice(left, left + width), width });
  }

  const { go } = useGo();
  function open() {
    const row = rows.at(active.row);
    if (active.column === 0 && row) go(`products/${row.id}`);
    else edit();
  }
  function onKeyDown(event: KeyboardEvent<HTMLTableElement>) {
    if (editing || event.nativeEvent.isComposing || event.altKey) return;
    const { key, ctrlKey, metaKey } = event;
    if (key === 'Escape') {
      if (selection.isBlock) selection.collapse();
      else done.current?.focus();
    } else if (ctrlKey || metaKey) {
      const letter = key.toLowerCase();
      if (letter === 'z') void (event.shiftKey ? edits.redo : edits.undo)();
      else if (letter === 'y') void edits.redo();
      else if (!selection.onKey(event, virtual.range)) return;
    } else if (key === 'Tab') {
      // The key leaves the grid behind its last cell.
      if (!selection.step(event.shiftKey ? -1 : 1)) return;
    } else if (key === 'Enter') open();
    else if (key === 'F2') edit();
    else if (key === 'Delete' || key === 'Backspace') clearCells();
    else if (key === ' ' && cellAt(active)?.definition.type === 'boolean') toggle();
    else if (key.length === 1) edit((before) => startOf(cellAt(active)?.definition.type, key, before));
    else if (!selection.onKey(event, virtual.range)) return;
    event.preventDefault();
  }
  function toggle() {
    const { row, key, stored } = cellAt(active)!;
    void edits.save([{ product: row, key, before: stored, after: stored !== true }]);
  }

  function placeOf({ target }: { target: EventTarget }): Place | undefined {
    const cell = (target as HTMLElement).closest<HTMLElement>('[data-row]');
    return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : undefined;
  }
  const wasActive = useRef(false);
  function onPointer(event: PointerEvent, isExtended: boolean) {
    const place = placeOf(event);
    const isInEditor = (event.target as HTMLElement).closest(`.${classes.editor}`) !== null;
    if (!place || isInEditor) return;
    // An open editor saves when it loses the focus.
    if (editing) focus();
    wasActive.current = place.row === active.row && place.column === active.column;
    selection.moveTo(place, isExtended);
  }

  if (rows.error && count === undefined) return <Failure error={rows.error} retry={rows.retry} />;
  if (count === undefined) return <Loading />;
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className={classes.frame}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Text id="grid-help" c="dimmed" visibleFrom="sm">
          {words.help}
        </Text>
        <Group gap="xs">
          <SmallAction label={actions.undo} icon={IconArrowBackUp} disabled={!edits.canUndo} onClick={edits.undo} />
          <SmallAction label={words.redo} icon={IconArrowForwardUp} disabled={!edits.canRedo} onClick={edits.redo} />
          <Action ref={done} label={words.done} size="xs" icon={IconCheck} loading={isLeaving} onClick={() => setLeaving(true)} />
        </Group>
      </Group>
      <ScrollArea
        viewportRef={viewport}
        className={classes.area}
        viewportProps={{ style: { scrollPaddingTop: HEAD_HEIGHT, scrollPaddingLeft: columns[0]?.pinned ? NAME_WIDTH : 0 } }}
        type="auto"
      >
        <Table
          ref={grid}
          role="grid"
          tabIndex={0}
          aria-label={label}
          aria-describedby="grid-help"
          aria-rowcount={count + 1}
          aria-colcount={columns.length}
          aria-multiselectable
          aria-activedescendant={count > 0 ? cellId(active) : undefined}
          className={classes.grid}
          miw={minWidth}
          stickyHeader
          onKeyDown={onKeyDown}
          onCopy={onCopy}
          onPaste={onPaste}
          onDoubleClick={(event) => placeOf(event) && !editing && open()}
          // There is no double click on a phone.
          onClick={({ nativeEvent }) => isTouch(nativeEvent) && wasActive.current && !editing && edit()}
          onPointerDown={(event) => event.button === 0 && onPointer(event, event.shiftKey)}
          onPointerOver={(event) => event.buttons === 1 && event.pointerType === 'mouse' && !editing && onPointer(event, true)}
        >
          <GridHead columns={columns} definitions={definitions} />
          <tbody>
            {above > 0 && <tr aria-hidden style={{ height: above }} />}
            {items.map(({ index }) => {
              const row = rows.at(index);
              const isSelected = range.top <= index && index <= range.bottom;
              const isActive = active.row === index;
              return (
                <GridRow
                  key={index}
                  index={index}
                  row={row}
                  columns={columns}
                  definitions={definitions}
                  unsaved={row && edits.cells.get(row.id)}
                  active={isActive ? active.column : undefined}
                  from={isSelected ? range.left : undefined}
                  to={isSelected ? range.right : undefined}
                  editing={isActive && editing?.row === index && editing.column === active.column ? editing : undefined}
                  onCommit={onCommit}
                  onCancel={cancel}
                />
              );
            })}
            {below > 0 && <tr aria-hidden style={{ height: below }} />}
          </tbody>
        </Table>
      </ScrollArea>
      {block && (
        <PastePreview
          block={block}
          cells={edits.cells}
          onSave={(changes) => void saveBlock(changes)}
          onClose={() => {
            setBlock(null);
            focus();
          }}
        />
      )}
    </div>
  );
}

const isTouch = (event: MouseEvent) => (event as globalThis.PointerEvent).pointerType === 'touch';

/** The content with which a typed character begins an edit. */
function startOf(type: string | undefined, key: string, before: Content): Content {
  if (type === 'text' || type === 'html') return key;
  if (type === 'number') return /\d/.test(key) ? Number(key) : null;
  return before;
}
