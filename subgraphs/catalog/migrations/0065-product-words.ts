import { Migration } from '@mikro-orm/migrations';

const TEXT = ['sku', 'name', 'manufacturer', 'mpn', 'brand', 'category']
  .map((column) => `coalesce(${column}, '')`)
  .join(` || ' ' || `);

export class ProductWords extends Migration {
  override up(): void {
    this.addSql(`
      create function catalog.product_words(sku text, name text, manufacturer text, mpn text, brand text, category text) returns tsvector
        language sql immutable parallel safe
        return to_tsvector('simple'::regconfig, ${TEXT}) || to_tsvector('english'::regconfig, ${TEXT});

      create index products_words on catalog.products using gin
        (organization_id, catalog.product_words(sku, name, manufacturer, mpn, brand, category), lower(name) gin_trgm_ops);
    `);
  }
}
