/** Exports of products to a file. */
export const productExports = {
  written: (exported: string, products: string) => `${exported} of ${products} products are in the file.`,
  format: 'Format',
  formats: { csv: 'CSV with a column for each attribute', jsonl: 'JSON lines' },
  expires: (time: string) => `The file can be downloaded until ${time}.`,
  expired: 'The file was deleted after 7 days.',
};
