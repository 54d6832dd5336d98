import { Migration } from '@mikro-orm/migrations';

export class ReviewQueue extends Migration {
  override up(): void {
    this.addSql(`

      -- The category of the product when the job wrote the value.
      alter table catalog.proposals add column category_key uuid;
      update catalog.proposals r set category_key = catalog.name_key(p.category)
        from catalog.products p where p.id = r.product_id and p.category is not null and r.verdict is null;
      create index proposals_open on catalog.proposals (organization_id, confidence, item_id, slug) where verdict is null;
      create index proposals_of_attribute on catalog.proposals (organization_id, slug, confidence, item_id) where verdict is null;
      create index proposals_of_category on catalog.proposals (organization_id, category_key, confidence, item_id, slug)
        where verdict is null and category_key is not null;
    `);
  }
}
