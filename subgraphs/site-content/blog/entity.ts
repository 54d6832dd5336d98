import { ID, InputType, ObjectType } from 'type-graphql';
import { column, columns, hidden, Table } from '../../../platform/database/index.ts';
import { changeOf, field, input, type Limit, list } from '../../../platform/fields/index.ts';
import { CONTENT_SLUG, HTML, PublishableRecord, SiteRecord, TITLE } from '../content/entity.ts';
import { ListOf } from '../site-list.ts';

@ObjectType({ description: 'An author of posts of a site.' })
@Table('site_content.authors')
export class Author extends columns(SiteRecord, {
  name: column('string', { length: 255 }),
  slug: column('string', { length: 128, description: 'Unique within the site.' }),
  bio: column('text', { nullable: true }),
  avatarUrl: column('text', { nullable: true }),
}) {}

@ObjectType({ description: 'A category of posts of a site.' })
@Table('site_content.categories')
export class PostCategory extends columns(SiteRecord, {
  name: column('string', { length: 255 }),
  slug: column('string', { length: 128, description: 'Unique within the site.' }),
}) {}

@ObjectType({ description: 'A post of the blog of a site. Readers see only published posts; editors also see drafts.' })
@Table('site_content.posts')
export class Post extends columns(PublishableRecord, {
  title: column('string', { length: 255 }),
  slug: column('string', { length: 128, description: 'Unique within the site.' }),
  excerpt: column('text', 'Plain text.'),
  content: column('text', 'Sanitized HTML.'),
  authorId: hidden('uuid', { nullable: true }),
  categoryIds: hidden('uuids'),
  coverImage: column('text', { nullable: true, description: 'URL of an image.' }),
}) {}

const IMAGE: Limit = { maxLength: 2_048, pattern: /^https?:\/\/\S+$/, format: 'uri' };
const REDIRECT = 'Unique within the site. The former slug becomes a redirect.';

@InputType({ description: 'A post to create as a draft.' })
export class NewPost extends input({
  title: field(String, { ...TITLE }),
  slug: field(String, { ...CONTENT_SLUG, description: 'Unique within the site.' }),
  excerpt: field(String, { maxLength: 2_000, defaultValue: '', description: 'Plain text.' }),
  content: field(String, { maxLength: 1_000_000, defaultValue: '', description: HTML }),
  authorId: field(ID, { nullable: true, description: 'An author of the same site.' }),
  categoryIds: list(ID, { maxItems: 20, defaultValue: [], description: 'Categories of the same site.' }),
  coverImage: field(String, { ...IMAGE, nullable: true, description: 'URL of an image.' }),
}) {}

@InputType({
  description: 'Changes to a post. Omitted fields stay unchanged; null removes the author or the image, and changes nothing else.',
})
export class PostChange extends changeOf(NewPost, {
  descriptions: { slug: REDIRECT, categoryIds: 'Categories of the same site. Replaces the current ones.' },
}) {}

@InputType({ description: 'An author to create.' })
export class NewAuthor extends input({
  name: field(String, { ...TITLE }),
  slug: field(String, { ...CONTENT_SLUG, description: 'Unique within the site.' }),
  bio: field(String, { maxLength: 10_000, nullable: true, description: 'Plain text.' }),
  avatarUrl: field(String, { ...IMAGE, nullable: true, description: 'URL of an image.' }),
}) {}

@InputType({ description: 'Changes to an author. Omitted fields stay unchanged; null removes the text or the image.' })
export class AuthorChange extends changeOf(NewAuthor) {}

@InputType({ description: 'A category of posts to create.' })
export class NewPostCategory extends input({
  name: field(String, { ...TITLE }),
  slug: field(String, { ...CONTENT_SLUG, description: 'Unique within the site.' }),
}) {}

@InputType({ description: 'Changes to a category of posts. Fields that are omitted or null stay unchanged.' })
export class PostCategoryChange extends changeOf(NewPostCategory) {}

@ObjectType({ description: 'One page of posts.' })
export class PostList extends ListOf(Post, 'PostList') {}

@ObjectType({ description: 'One page of authors.' })
export class AuthorList extends ListOf(Author, 'AuthorList') {}

@ObjectType({ description: 'One page of categories of posts.' })
export class PostCategoryList extends ListOf(PostCategory, 'PostCategoryList') {}
