import { InputType, ObjectType } from 'type-graphql';
import { column, columns, Table } from '../../../platform/database/index.ts';
import { changeOf, field, input, type Limit, shared } from '../../../platform/fields/index.ts';
import { CONTENT_SLUG, HTML, PublishableRecord, TITLE } from '../content/entity.ts';
import { ListOf } from '../site-list.ts';

@ObjectType({ description: 'Metadata of a page for search engines.' })
@InputType('PageSeoInput', { description: 'Metadata of a page for search engines.' })
export class PageSeo extends shared({
  title: field(String, { maxLength: 255, nullable: true }),
  description: field(String, { maxLength: 1_000, nullable: true }),
}) {}

@ObjectType({ description: 'A page of a site. Readers see only published pages; editors also see drafts.' })
@Table('site_content.pages')
export class Page extends columns(PublishableRecord, {
  title: column('string', { length: 255 }),
  slug: column('string', { length: 128, description: 'The last segment of the default path.' }),
  path: column('string', { length: 1024, description: 'Starts with a slash. Unique within the site.' }),
  content: column('text', { lazy: true, description: 'Sanitized HTML.' }),
  seo: column(PageSeo, { type: 'json' }),
}) {}

/** Browsers resolve the segments `.` and `..`, so no page could be requested by them. */
const PATH: Limit = {
  minLength: 1,
  maxLength: 1_024,
  pattern: /^(?!.*\/\.{1,2}(\/|$))\/([a-z0-9._~-]+(\/[a-z0-9._~-]+)*)?$/,
};

@InputType({ description: 'A page to create as a draft.' })
export class NewPage extends input({
  title: field(String, { ...TITLE }),
  slug: field(String, { ...CONTENT_SLUG }),
  path: field(String, { ...PATH, nullable: true, description: 'Unique within the site. Default: a slash and the slug.' }),
  content: field(String, { maxLength: 1_000_000, defaultValue: '', description: HTML }),
  seo: field(PageSeo, { nullable: true }),
}) {}

@InputType({ description: 'Changes to a page. Fields that are omitted or null stay unchanged.' })
export class PageChange extends changeOf(NewPage, {
  descriptions: {
    slug: 'Does not change the path.',
    path: 'Unique within the site. The former path becomes a redirect.',
  },
}) {}

@ObjectType({ description: 'One page of the list of pages of a site.' })
export class PageList extends ListOf(Page, 'PageList') {}
