const FIELDS = ['sku', 'name', 'brand', 'category', 'manufacturer', 'mpn', 'uom', 'externalId'] as const;
/** An import recognizes the file by these columns. */
const COLUMNS = [...FIELDS, 'parentSku', 'parentName', 'isParent'];

type ExportedProduct = Partial<Record<(typeof FIELDS)[number] | 'parentName', string | null>> & {
  isParent: boolean;
  parent?: { sku: string } | null;
  attributes: Record<string, { value?: unknown }>;
};

/** The columns and rows of a product file, with a column for each attribute. An import reads them back. */
export function exportTable(products: readonly ExportedProduct[]): { columns: string[]; rows: string[][] } {
  const slugs = [...new Set(products.flatMap(({ attributes }) => Object.keys(attributes)))].sort();
  const textOf = (value: unknown) => (Array.isArray(value) ? value.join('; ') : String(value ?? ''));
  const rows = products.map((product) => [
    ...FIELDS.map((field) => product[field] ?? ''),
    ...[product.parent?.sku ?? '', product.parentName ?? '', String(product.isParent)],
    ...slugs.map((slug) => textOf(product.attributes[slug]?.value)),
  ]);
  return { columns: [...COLUMNS, ...slugs], rows };
}
