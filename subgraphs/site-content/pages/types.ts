import { Field, InputType, ObjectType } from 'type-graphql';
import { changeOf, type Limit, Limited } from '../../../platform/input/index.ts';
import { HTML } from '../content/descriptions.ts';
import { CONTENT_SLUG, TITLE } from '../content/types.ts';
import { ListOf } from '../site-list.ts';
import { Page, PageSeo } from './entity.ts';

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
