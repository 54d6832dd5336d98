/** The character before the decimals of a number; null if it is unknown. */
export type DecimalMark = '.' | ',' | null;

/** Longer cells are texts. */
const MAX_NUMBER = 24;
/** Characters of a sign or a currency before a number. */
const MAX_PREFIX = 4;

/**
 * The decimal mark of each column of a table. A column whose cells show none, such as `1.000`, has the mark of the other columns if these
 * agree. A column whose cells contradict each other has none.
 */
export function decimalMarks(rows: readonly (readonly unknown[])[]): DecimalMark[] {
  const seen: { texts: Set<string>; hasNumbers: boolean }[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      seen[at] ??= { texts: new Set(), hasNumbers: false };
      const column = seen[at];
      // Cells of workbooks that are numbers become texts with a point.
      if (typeof cell === 'number' && !Number.isInteger(cell)) column.hasNumbers = true;
      else if (typeof cell === 'string' && column.texts.size < 2) {
        const mark = markOf(cell);
        if (mark) column.texts.add(mark);
      }
    }
  }
  const common = new Set(seen.flatMap((column) => (column ? [...column.texts] : [])));
  return Array.from(seen, (column) => {
    const marks = new Set([...(column?.texts ?? []), ...(column?.hasNumbers ? ['.'] : [])]);
    const [mark = null] = marks.size > 0 ? marks : common;
    return (marks.size > 0 ? marks : common).size > 1 ? null : (mark as DecimalMark);
  });
}

/** The decimal mark that a cell shows beyond doubt: `6,4`, `1.234,5` and `1.000.000` do, `1.000` does not. */
function markOf(cell: string): DecimalMark {
  if (cell.length > 2 * MAX_NUMBER) return null;
  const digits = numeralOf(cell);
  if (digits.length > MAX_NUMBER || /[^\d.,]/.test(digits)) return null;
  // `Battery 2.0` is a name, `EUR 2,50` a price.
  if (cell.indexOf(digits) > MAX_PREFIX) return null;
  const [, last, decimals = ''] = /([.,])(\d+)$/.exec(digits) ?? [];
  if (!last) return null;
  const whole = digits.slice(0, -decimals.length - 1);
  const other = last === '.' ? ',' : '.';
  // Groups of three digits, all with the same mark, and decimals with the other one.
  if (whole.includes(other)) return isGrouped(whole, other) ? (last as DecimalMark) : null;
  if (whole.includes(last)) return isGrouped(digits, last) ? other : null;
  return decimals.length === 3 && /^[1-9]\d{0,2}$/.test(whole) ? null : (last as DecimalMark);
}

const isGrouped = (digits: string, mark: string) => {
  const [first, ...groups] = digits.split(mark);
  return first!.length >= 1 && first!.length <= 3 && groups.every((group) => /^\d{3}$/.test(group));
};

/** The part of a cell from its first to its last digit. */
export function numeralOf(cell: string): string {
  const start = cell.search(/\d/);
  let end = cell.length;
  while (end > start && !/\d/.test(cell[end - 1]!)) end -= 1;
  return start < 0 ? '' : cell.slice(start, end);
}
