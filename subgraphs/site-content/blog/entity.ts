import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { PublishableRecord, SiteRecord } from '../content/entity.ts';

@ObjectType({ description: 'An author of posts of a site.' })
@Entity({ schema: 'site_content', tableName: 'authors' })
export class Author extends SiteRecord {
  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { description: 'Unique within the site.' })
  @Property({ type: 'string', length: 128 })
  slug!: string;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  bio!: string | null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  avatarUrl!: string | null;
}

@ObjectType({ description: 'A category of posts of a site.' })
@Entity({ schema: 'site_content', tableName: 'categories' })
export class PostCategory extends SiteRecord {
  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { description: 'Unique within the site.' })
  @Property({ type: 'string', length: 128 })
  slug!: string;
}

@ObjectType({ description: 'A post of the blog of a site. Readers see only published posts; editors also see drafts.' })
@Entity({ schema: 'site_content', tableName: 'posts' })
export class Post extends PublishableRecord {
  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  title!: string;

  @Field(() => String, { description: 'Unique within the site.' })
  @Property({ type: 'string', length: 128 })
  slug!: string;

  @Field(() => String, { description: 'Plain text.' })
  @Property({ type: 'text' })
  excerpt!: string;

  @Field(() => String, { description: 'Sanitized HTML.' })
  @Property({ type: 'text' })
  content!: string;

  @Property({ type: 'uuid', nullable: true })
  authorId!: string | null;

  @Property({ type: 'array', columnType: 'uuid[]' })
  categoryIds!: string[];

  @Field(() => String, { nullable: true, description: 'URL of an image.' })
  @Property({ type: 'text', nullable: true })
  coverImage!: string | null;
}
