/** An item of a job, as the sample shows it. */
export interface Item {
  errorMessage: string | null;
  enrichedData: Record<string, { attributeName: string; value: unknown }> | null;
  provenance: { slug: string; confidence: number; sourceKind: string | null }[] | null;
  product: { sku: string; name: string } | null;
}

const SHOWN = 14;

/** Prints some new values of each product with confidence and source. */
export function tableOf(items: Item[]): string {
  const rows = items
    .filter(({ product }) => product)
    .map(({ product, enrichedData, provenance, errorMessage }) => {
      const found = Object.entries(enrichedData ?? {}).filter(([, { value }]) => value !== null);
      const origins = new Map(provenance?.map((each) => [each.slug, each]));
      const confidence = found.reduce((sum, [slug]) => sum + (origins.get(slug)?.confidence ?? 0), 0) / (found.length || 1);
      const kinds = [...new Set(found.map(([slug]) => origins.get(slug)?.sourceKind ?? 'record'))].join(', ');
      const shown = found.filter(([, { value }]) => String(value).length < 40 && !String(value).includes('<'));
      const values = shown.slice(0, 3).map(([, { attributeName, value }]) => `${attributeName}: ${value}`);
      const [sku, name] = [product!.sku, product!.name];
      return [
        sku,
        name,
        errorMessage ?? `${found.length}`,
        errorMessage ? '' : `${Math.round(confidence)} %`,
        kinds,
        values.join(' · '),
      ];
    });
  const more = rows.length > SHOWN ? [`  … and ${rows.length - SHOWN} more`] : [];
  return [columns([['SKU', 'Product', 'Filled in', 'Confidence', 'Source', 'For example'], ...rows.slice(0, SHOWN)]), ...more].join(
    '\n',
  );
}

const WIDTHS = [12, 34, 10, 11, 14, 70];

const columns = (rows: string[][]) =>
  rows
    .map(
      (row) =>
        `  ${row
          .map((cell, index) => cut(cell, WIDTHS[index]!))
          .join(' ')
          .trimEnd()}`,
    )
    .join('\n');

const cut = (text: string, width: number) => (text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width));
