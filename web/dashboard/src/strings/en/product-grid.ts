/** The list of products as a spreadsheet. */
export const productGrid = {
  edit: 'Edit values',
  done: 'Done',
  help: 'Arrow keys move, Enter edits, Tab goes to the next cell, Ctrl+C and Ctrl+V copy and paste blocks, Escape leaves the grid.',
  noColumns: 'Add the columns of attributes that you want to edit.',
  redo: 'Redo',
  empty: 'empty',
  conflict: (theirs: string, own: string) =>
    `Somebody changed the value meanwhile: ${theirs}. Yours: ${own}. Enter edits yours again.`,
  refused: (message: string) => `Not saved. ${message} Enter edits the value again.`,
  overLimit: (message: string) => `Not saved. ${message} Enter edits the value; save it unchanged to keep it anyway.`,
  rowNotSaved: 'Another value of the product was refused.',
  saved: (count: number) => (count === 1 ? '1 value saved.' : `${count} values saved.`),
  notSaved: (count: number) =>
    count === 1 ? '1 value was not saved. Its cell says why.' : `${count} values were not saved. Their cells say why.`,
  tooLong: 'The current value is too long for a table. Edit it on the page of the product.',
  tooMany: (rows: number, cells: number) => `At most ${rows} rows and ${cells} cells change at once.`,
  unread: 'The products could not be loaded. Try again.',
  pasteTitle: 'Paste values',
  pasteText: (changed: string, same: string, unreadable: string) =>
    `${changed} values change, ${same} stay the same, and ${unreadable} cannot be read.`,
  rowsLost: (count: number) =>
    count === 1 ? '1 row is below the end of the list.' : `${count} rows are below the end of the list.`,
  columnsLost: (count: number) =>
    count === 1 ? '1 column is beyond the last column.' : `${count} columns are beyond the last column.`,
  readOnly: (names: string[]) => `These columns are not edited here: ${names.join(', ')}.`,
  nothingEditable: 'No column of the block can be edited. Choose another cell, and paste again.',
  required: (name: string) => `${name} cannot be empty.`,
  longField: (max: number) => `At most ${max} characters.`,
  decimalMarks: { detected: 'As the cells show', point: 'Point: 6.4', comma: 'Comma: 6,4' },
  becomes: (before: string, after: string) => `${before} → ${after}`,
  problem: (cell: string, message: string) => (cell ? `“${cell}”: ${message}` : message),
  onlyFirst: (count: number) => `Only the first ${count} are shown.`,
  save: (count: string) => `Save ${count}`,
};
