/** Exports of products to a file. */
export const productExports = {
  title: 'Export products',
  selected: (count: string) => `${count} selected`,
  all: (count: string) => `All ${count} of the list`,
  allColumns: 'All',
  allColumnsText: 'An import reads the CSV file back.',
  shownColumns: 'Those of the list',
  start: 'Start the export',
  download: 'Download the file',
  written: (exported: string, products: string) => `${exported} of ${products} products are in the file.`,
  formats: { csv: 'CSV with a column for each attribute', jsonl: 'JSON lines' },
  expires: (time: string) => `The file can be downloaded until ${time}.`,
  expired: 'The file was deleted after 7 days.',
};
