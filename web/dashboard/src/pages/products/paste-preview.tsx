import { Alert, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { BlockValuesQuery, BlockValuesQueryVariables } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Action, Note } from '../../parts/elements.tsx';
import { Choice, Modal } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { Definition } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';
import {
  FIELD_LENGTHS,
  faultOf,
  fieldText,
  type GridField,
  isCut,
  isGridField,
  shownContent,
  useCellDefinitions,
} from './grid-cells.ts';
import { type Row, slugOf } from './list-columns.tsx';
import { type Change, isSameContent, type UnsavedCells } from './value-edits.ts';

const VALUES = graphql(`
  query BlockValues($slugs: [String!]!, $cells: [String!]!, $decimalMark: DecimalMark) {
    cellValues(slugs: $slugs, cells: $cells, decimalMark: $decimalMark) { value problem }
  }
`);
/** Changes and problems that the preview lists. */
const SHOWN = 100;

/** A copied block and the part of the grid that it is for. */
export interface Block {
  cells: string[][];
  /** Columns of the copied block; more than `columns` if it does not fit. */
  width: number;
  columns: readonly Column<Row>[];
  /** Fewer than the rows of the block at the end of the list. */
  rows: readonly (Row | undefined)[];
}

interface Problem {
  name: string;
  column: string;
  cell: string;
  message: string;
}

interface Props {
  block: Block;
  /** Unsaved values, which an earlier save left. */
  cells: ReadonlyMap<string, UnsavedCells>;
  onSave(changes: Change[]): void;
  onClose(): void;
}

/** The changes that a pasted block makes, and the cells that cannot be read. Nothing is saved before the reader agrees. */
export function PastePreview({ block, cells: unsaved, onSave, onClose }: Props) {
  const { productGrid: words, terms } = useStrings();
  const definitions = useCellDefinitions();
  const [decimalMark, setDecimalMark] = useState<BlockValuesQueryVariables['decimalMark']>(null);
  const { keys, slugs, cells, places } = useMemo(() => editableCells(block, definitions), [block, definitions]);
  const query = useQuery({ query: VALUES, variables: { slugs, cells, decimalMark }, pause: cells.length === 0 });
  const lost = [
    block.cells.length > block.rows.length && words.rowsLost(block.cells.length - block.rows.length),
    block.width > block.columns.length && words.columnsLost(block.width - block.columns.length),
    keys.length < block.columns.length &&
      words.readOnly(block.columns.filter(({ key }) => !keys.includes(key)).map(({ title }) => title)),
  ].filter((text) => text !== false);
  const hasNumbers = keys.some((key) => definitions.get(key)?.type === 'number');
  const shared = { places, definitions, unsaved, onSave, onClose };
  return (
    <Modal title={words.pasteTitle} size="xl" onClose={onClose}>
      <Stack>
        {lost.map((text) => (
          <Note key={text}>{text}</Note>
        ))}
        {hasNumbers && (
          <Choice
            label={terms.decimalMark}
            labels={words.decimalMarks}
            value={decimalMark ?? 'detected'}
            onChange={(mark) => setDecimalMark(mark === 'point' || mark === 'comma' ? mark : null)}
            maw={260}
          />
        )}
        {places.length === 0 && <Alert color="yellow">{words.nothingEditable}</Alert>}
        {places.length > 0 && cells.length === 0 && <Readings readings={[]} isFirst {...shared} />}
        {cells.length > 0 && (
          <Loaded query={query}>
            {({ cellValues }) => <Readings readings={cellValues} isFirst={decimalMark === null} {...shared} />}
          </Loaded>
        )}
      </Stack>
    </Modal>
  );
}

interface Target {
  row: Row;
  key: string;
  cell: string;
  /** The place among the cells of attributes, which the server reads; undefined for a field. */
  place: number | undefined;
}

/** The cells of the block that are for attributes or fields, row by row. */
function editableCells({ cells, rows, columns }: Block, definitions: ReadonlyMap<string, Definition>) {
  const editable = columns.flatMap(({ key }, at) => (definitions.has(key) ? [{ key, at }] : []));
  const ofAttributes: string[] = [];
  const places = rows.flatMap((row, index): Target[] =>
    (row ? editable : []).map(({ key, at }) => {
      const cell = cells[index]?.[at] ?? '';
      return { row: row!, key, cell, place: isGridField(key) ? undefined : ofAttributes.push(cell) - 1 };
    }),
  );
  const keys = editable.map(({ key }) => key);
  return { keys, slugs: keys.flatMap((key) => slugOf(key) ?? []), cells: ofAttributes, places };
}

interface ReadingsProps extends Pick<Props, 'onSave' | 'onClose'> {
  /** The reader has not chosen how to read the cells, so the focus may move to the button that saves. */
  isFirst: boolean;
  readings: BlockValuesQuery['cellValues'];
  places: readonly Target[];
  definitions: ReadonlyMap<string, Definition>;
  unsaved: Props['cells'];
}

function Readings({ readings, isFirst, places, definitions, unsaved, onSave, onClose }: ReadingsProps) {
  const strings = useStrings();
  const { products, productGrid: words, pages, terms, actions, formats } = strings;
  const changes: (Change & { product: Row })[] = [];
  const problems: Problem[] = [];
  const readField = (key: GridField, cell: string) => {
    const value = fieldText(cell);
    const fault = faultOf(key, value);
    const problem = fault === 'missing' ? words.required(definitions.get(key)!.name) : fault && words.longField(FIELD_LENGTHS[key]);
    return { value, problem };
  };
  for (const { row, key, cell, place } of places) {
    const reading = isGridField(key) ? readField(key, cell) : readings[place!];
    const column = definitions.get(key)!.name;
    const before = shownContent(row, key, unsaved.get(row.id)?.[key]);
    const after = reading?.value ?? null;
    const message = reading?.problem ?? (isCut(row, key) ? words.tooLong : null);
    if (message) problems.push({ name: row.name, column, cell, message });
    else if (!isSameContent(before, after)) changes.push({ product: row, key, before, after });
  }
  const textOf = (key: string, value: Change['after']) => {
    const { type, ...meaning } = definitions.get(key)!;
    return formatValue(value, type, strings, meaning);
  };
  const [changed, unreadable] = [formats.number(changes.length), formats.number(problems.length)];
  function save() {
    onSave(changes);
    onClose();
  }
  return (
    <>
      <Alert color={problems.length > 0 ? 'yellow' : 'blue'} role="status">
        {words.pasteText(changed, formats.number(places.length - changes.length - problems.length), unreadable)}
      </Alert>
      <ScrollArea.Autosize mah={360} type="auto" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': words.pasteTitle }}>
        <Table aria-label={words.pasteTitle}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{products.name}</Table.Th>
              <Table.Th>{pages.attribute}</Table.Th>
              <Table.Th>{terms.change}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody style={{ overflowWrap: 'anywhere' }}>
            {problems.slice(0, SHOWN).map(({ name, column, cell, message }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity, and none moves.
              <Table.Tr key={at}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{column}</Table.Td>
                <Table.Td>
                  <Text c="var(--mantine-color-red-light-color)">{words.problem(cell, message)}</Text>
                </Table.Td>
              </Table.Tr>
            ))}
            {changes.slice(0, SHOWN).map(({ product, key, before, after }) => (
              <Table.Tr key={`${product.id} ${key}`}>
                <Table.Td>{product.name}</Table.Td>
                <Table.Td>{definitions.get(key)!.name}</Table.Td>
                <Table.Td>{words.becomes(textOf(key, before), textOf(key, after))}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {(changes.length > SHOWN || problems.length > SHOWN) && <Note>{words.onlyFirst(SHOWN)}</Note>}
      <Group justify="end">
        <Action label={actions.cancel} variant="default" onClick={onClose} />
        <Action label={words.save(changed)} disabled={changes.length === 0} onClick={save} autoFocus={isFirst} />
      </Group>
    </>
  );
}
