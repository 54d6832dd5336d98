import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { PublishableRecord } from '../content/entity.ts';

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
  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  title!: string;

  @Field(() => String, { description: 'The last segment of the default path.' })
  @Property({ type: 'string', length: 128 })
  slug!: string;

  @Field(() => String, { description: 'Starts with a slash. Unique within the site.' })
  @Property({ type: 'string', length: 1024 })
  path!: string;

  @Field(() => String, { description: 'Sanitized HTML.' })
  @Property({ type: 'text', lazy: true })
  content!: string;

  @Field(() => PageSeo)
  @Property({ type: 'json' })
  seo!: PageSeo;
}
