import { Entity } from '@mikro-orm/decorators/legacy';
import { Field, InputType, ObjectType } from 'type-graphql';
import { FieldProperty } from '../../../platform/database/index.ts';
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
