export const productExports = {
  title: 'Produkte exportieren',
  selected: (count: string) => `${count} ausgewählte`,
  all: (count: string) => `Alle ${count} der Liste`,
  allColumns: 'Alle',
  allColumnsText: 'Ein Import liest die CSV-Datei wieder ein.',
  shownColumns: 'Die der Liste',
  start: 'Export starten',
  download: 'Datei herunterladen',
  written: (exported: string, products: string) => `${exported} von ${products} Produkten sind in der Datei.`,
  formats: { csv: 'CSV mit einer Spalte je Attribut', jsonl: 'JSON Lines' },
  expires: (time: string) => `Die Datei kann bis ${time} heruntergeladen werden.`,
  expired: 'Die Datei wurde nach 7 Tagen gelöscht.',
};
