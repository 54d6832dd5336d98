import { Entity } from '@mikro-orm/decorators/legacy';
import { Field, InputType, ObjectType } from 'type-graphql';
import { FieldProperty } from '../../../platform/database/index.ts';
import { changeOf, type Limit, Limited } from '../../../platform/input/index.ts';
import { CONTENT_SLUG, HTML, PublishableRecord, TITLE } from '../content/entity.ts';
import { ListOf } from '../site-list.ts';

@ObjectType({ description: 'Metadata of a page for search engines.' })
@InputType('PageSeoInput', { description: 'Metadata of a page for search engines.' })
export class PageSeo {
  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true })
  title!: string | null;

  @Limited({ maxLength: 1_000 })
  @Field(() => String, { nullable: true })
  description!: string | null;
}

@ObjectType({ description: 'A page of a site. Readers see only published pages; editors also see drafts.' })
@Entity({ schema: 'site_content', tableName: 'pages' })
export class Page extends PublishableRecord {
  @FieldProperty({ type: 'string', length: 255 })
  title!: string;

  @FieldProperty({ type: 'string', length: 128, description: 'The last segment of the default path.' })
  slug!: string;

  @FieldProperty({ type: 'string', length: 1024, description: 'Starts with a slash. Unique within the site.' })
  path!: string;

  @FieldProperty({ type: 'text', lazy: true, description: 'Sanitized HTML.' })
  content!: string;

  @FieldProperty(() => PageSeo, { type: 'json' })
  seo!: PageSeo;
}

/** Browsers resolve the segments `.` and `..`, so no page could be requested by them. */
const PATH: Limit = {
  minLength: 1,
  maxLength: 1_024,
  pattern: /^(?!.*\/\.{1,2}(\/|$))\/([a-z0-9._~-]+(\/[a-z0-9._~-]+)*)?$/,
};

@InputType({ description: 'A page to create as a draft.' })
export class NewPage {
  @Limited(TITLE)
  @Field(() => String)
  title!: string;

  @Limited(CONTENT_SLUG)
  @Field(() => String)
  slug!: string;

  @Limited(PATH)
  @Field(() => String, { nullable: true, description: 'Unique within the site. Default: a slash and the slug.' })
  path?: string | null;

  @Limited({ maxLength: 1_000_000 })
  @Field(() => String, { defaultValue: '', description: HTML })
  content!: string;

  @Field(() => PageSeo, { nullable: true })
  seo?: PageSeo | null;
}

@InputType({ description: 'Changes to a page. Fields that are omitted or null stay unchanged.' })
export class PageChange extends changeOf(NewPage, {
  descriptions: {
    slug: 'Does not change the path.',
    path: 'Unique within the site. The former path becomes a redirect.',
  },
}) {}

@ObjectType({ description: 'One page of the list of pages of a site.' })
export class PageList extends ListOf(Page, 'PageList') {}
