export const productExports = {
  written: (exported: string, products: string) => `${exported} von ${products} Produkten sind in der Datei.`,
  format: 'Format',
  formats: { csv: 'CSV mit einer Spalte je Attribut', jsonl: 'JSON Lines' },
  expires: (time: string) => `Die Datei kann bis ${time} heruntergeladen werden.`,
  expired: 'Die Datei wurde nach 7 Tagen gelöscht.',
};
