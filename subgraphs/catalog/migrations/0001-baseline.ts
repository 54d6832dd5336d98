import { Migration } from '@mikro-orm/migrations';
import { attributes } from './baseline/attributes.ts';
import { changes } from './baseline/changes.ts';
import { completeness } from './baseline/completeness.ts';
import { counters } from './baseline/counters.ts';
import { files, imports } from './baseline/files.ts';
import { gapRules } from './baseline/gap-rules.ts';
import { evidence, jobs, productEdits, productExports } from './baseline/jobs.ts';
import { labels } from './baseline/labels.ts';
import { live } from './baseline/live.ts';
import { productViews } from './baseline/product-views.ts';
import { deletedProducts, history, products, productTotals } from './baseline/products.ts';
import { examples, review } from './baseline/review.ts';
import { valueChanges } from './baseline/value-changes.ts';

/** The tables of the catalog. */
export class CatalogBaseline extends Migration {
  override up(): void {
    this.addSql('create extension if not exists btree_gin; create schema catalog');
    for (const sql of [
      products,
      deletedProducts,
      history,
      productTotals,
      labels,
      attributes,
      files,
      jobs,
      productEdits,
      productExports,
      evidence,
      imports,
      review,
      examples,
    ])
      this.addSql(sql);
    for (const sql of [counters, completeness, live, changes, valueChanges, productViews, gapRules]) this.addSql(sql);
  }
}
