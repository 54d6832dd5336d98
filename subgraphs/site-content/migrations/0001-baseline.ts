import { Migration } from '@mikro-orm/migrations';
import { blog } from './baseline/blog.ts';
import { collections } from './baseline/collections.ts';
import { lists } from './baseline/lists.ts';
import { forms, pages, redirects } from './baseline/pages.ts';
import { sites } from './baseline/sites.ts';

/** The tables of site content. */
export class SiteContentBaseline extends Migration {
  override up(): void {
    this.addSql('create schema site_content');
    for (const sql of [lists, sites, pages, forms, collections, blog, redirects]) this.addSql(sql);
  }
}
