/** Die Produktliste als Tabelle. */
export const productGrid = {
  edit: 'Werte bearbeiten',
  done: 'Fertig',
  help: 'Pfeiltasten bewegen, Enter bearbeitet, Tab geht zur nächsten Zelle, Strg+C und Strg+V kopieren und fügen Blöcke ein, Escape verlässt die Tabelle.',
  noColumns: 'Fügen Sie die Spalten der Attribute hinzu, die Sie bearbeiten möchten.',
  redo: 'Wiederholen',
  empty: 'leer',
  conflict: (theirs: string, own: string) =>
    `Jemand hat den Wert inzwischen geändert: ${theirs}. Ihrer: ${own}. Enter bearbeitet Ihren erneut.`,
  refused: (message: string) => `Nicht gespeichert. ${message} Enter bearbeitet den Wert erneut.`,
  overLimit: (message: string) =>
    `Nicht gespeichert. ${message} Enter bearbeitet den Wert; unverändert gespeichert gilt er trotzdem.`,
  rowNotSaved: 'Ein anderer Wert des Produkts wurde abgelehnt.',
  saved: (count: number) => (count === 1 ? '1 Wert gespeichert.' : `${count} Werte gespeichert.`),
  notSaved: (count: number) =>
    count === 1
      ? '1 Wert wurde nicht gespeichert. Seine Zelle nennt den Grund.'
      : `${count} Werte wurden nicht gespeichert. Ihre Zellen nennen den Grund.`,
  tooLong: 'Der jetzige Wert ist für eine Tabelle zu lang. Bearbeiten Sie ihn auf der Seite des Produkts.',
  tooMany: (rows: number, cells: number) => `Auf einmal ändern sich höchstens ${rows} Zeilen und ${cells} Zellen.`,
  unread: 'Die Produkte konnten nicht geladen werden. Versuchen Sie es erneut.',
  pasteTitle: 'Werte einfügen',
  pasteText: (changed: string, same: string, unreadable: string) =>
    `${changed} Werte ändern sich, ${same} bleiben gleich, und ${unreadable} sind nicht lesbar.`,
  rowsLost: (count: number) =>
    count === 1 ? '1 Zeile liegt unter dem Ende der Liste.' : `${count} Zeilen liegen unter dem Ende der Liste.`,
  columnsLost: (count: number) =>
    count === 1 ? '1 Spalte liegt hinter der letzten Spalte.' : `${count} Spalten liegen hinter der letzten Spalte.`,
  readOnly: (names: string[]) => `Diese Spalten werden hier nicht bearbeitet: ${names.join(', ')}.`,
  nothingEditable: 'Keine Spalte des Blocks lässt sich bearbeiten. Wählen Sie eine andere Zelle, und fügen Sie erneut ein.',
  required: (name: string) => `${name} darf nicht leer sein.`,
  longField: (max: number) => `Höchstens ${max} Zeichen.`,
  decimalMarks: { detected: 'Wie in den Zellen', point: 'Punkt: 6.4', comma: 'Komma: 6,4' },
  becomes: (before: string, after: string) => `${before} → ${after}`,
  problem: (cell: string, message: string) => (cell ? `„${cell}“: ${message}` : message),
  onlyFirst: (count: number) => `Nur die ersten ${count} sind zu sehen.`,
  save: (count: string) => `${count} speichern`,
};
