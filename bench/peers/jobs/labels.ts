import { extractAttributes } from '../../../subgraphs/catalog/extraction/extract-attributes.ts';
import { numbered, type PlainKind, tier, valuesOf } from './kind.ts';
import * as statements from './statements.ts';

interface TakenLabel {
  label: string;
  latest: Record<string, { value: string }> | null;
  products: ({
    id: string;
    name: string;
    sources: string[];
    attributes: Record<string, { attributeName: string; value: unknown }>;
  } & Record<string, unknown>)[];
}

const label = (subject: 'brand' | 'category', table: 'brands' | 'categories'): PlainKind<TakenLabel> => {
  const keep = statements.keepLabel(table);
  return {
    window: 5,
    subject,
    items: statements.labelItems(subject),
    take: statements.takeLabel(subject),

    async work({ model }, item, { label: name, latest, products }, attributes) {
      const texts = products.map((product) => ({
        kind: 'product' as const,
        url: null,
        title: product.name,
        text: textOf(product),
      }));
      const sources = numbered(texts);
      const existing = Object.fromEntries(Object.entries(latest ?? {}).map(([slug, { value }]) => [slug, value]));
      const extraction = await extractAttributes(model, { tier, subject, attributes, product: { name }, existing, sources });
      const reference = JSON.stringify({ mode: 'products', productIds: products.map(({ id }) => id) });
      return [
        [statements.completeLabel, item.id, item.organizationId, ...valuesOf(extraction, item, attributes, sources), reference],
        [keep, item.organizationId, name, name.toLowerCase().replaceAll(' ', '-')],
      ];
    },
  };
};

const textOf = ({ name, sku, manufacturer, brand, category, sources, attributes }: TakenLabel['products'][number]) =>
  [
    ...Object.entries({ name, sku, manufacturer, brand, category }).map(([field, value]) => `${field}: ${value}`),
    ...Object.values(attributes).map(({ attributeName, value }) => `${attributeName}: ${value}`),
    ...sources,
  ].join('\n');

export const brand = label('brand', 'brands');
export const category = label('category', 'categories');
