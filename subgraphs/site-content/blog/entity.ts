import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { FieldProperty } from '../../../platform/database/index.ts';
import { PublishableRecord, SiteRecord } from '../content/entity.ts';

@ObjectType({ description: 'An author of posts of a site.' })
@Entity({ schema: 'site_content', tableName: 'authors' })
export class Author extends SiteRecord {
  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'string', length: 128, description: 'Unique within the site.' })
  slug!: string;

  @FieldProperty({ type: 'text', nullable: true })
  bio!: string | null;

  @FieldProperty({ type: 'text', nullable: true })
  avatarUrl!: string | null;
}

@ObjectType({ description: 'A category of posts of a site.' })
@Entity({ schema: 'site_content', tableName: 'categories' })
export class PostCategory extends SiteRecord {
  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'string', length: 128, description: 'Unique within the site.' })
  slug!: string;
}

@ObjectType({ description: 'A post of the blog of a site. Readers see only published posts; editors also see drafts.' })
@Entity({ schema: 'site_content', tableName: 'posts' })
export class Post extends PublishableRecord {
  @FieldProperty({ type: 'string', length: 255 })
  title!: string;

  @FieldProperty({ type: 'string', length: 128, description: 'Unique within the site.' })
  slug!: string;

  @FieldProperty({ type: 'text', description: 'Plain text.' })
  excerpt!: string;

  @FieldProperty({ type: 'text', description: 'Sanitized HTML.' })
  content!: string;

  @Property({ type: 'uuid', nullable: true })
  authorId!: string | null;

  @Property({ type: 'array', columnType: 'uuid[]' })
  categoryIds!: string[];

  @FieldProperty({ type: 'text', nullable: true, description: 'URL of an image.' })
  coverImage!: string | null;
}
