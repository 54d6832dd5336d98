import type { EntityClass } from '@mikro-orm/postgresql';
import { isId, type Rows, readRows } from '../../../platform/database/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { readableSite } from '../content/access.ts';
import { deleteRecord, editRecord, editSite, flushUnique, startVersion } from '../content/edit.ts';
import { RECORD_COLUMNS } from '../content/entity.ts';
import type { SiteListArguments } from '../content/types.ts';
import { type ListSource, list, nestedList, type PageArguments } from '../site-list.ts';
import type { Site } from '../sites/entity.ts';
import { Author, Post, PostCategory } from './entity.ts';
import type { AuthorChange, NewAuthor, NewPostCategory, PostCategoryChange } from './types.ts';

const AUTHORS: ListSource<Author> = {
  name: 'authors',
  entity: Author,
  parent: 'siteId',
  rows: { columns: [...RECORD_COLUMNS, 'name', 'slug', 'bio', 'avatarUrl'], ordering: 'r.name, r.id' },
};
const CATEGORIES: ListSource<PostCategory> = {
  name: 'categories',
  entity: PostCategory,
  parent: 'siteId',
  rows: { columns: [...RECORD_COLUMNS, 'name', 'slug'], ordering: 'r.name, r.id' },
};

/** The authors of a site, sorted by name. */
export async function listAuthors(scope: RequestScope, { siteId, ...page }: SiteListArguments) {
  const site = await readableSite(scope, siteId);
  return list(scope, AUTHORS, site.id, page);
}
export const listAuthorsOf = (scope: RequestScope, site: Site, page: PageArguments) => nestedList(scope, AUTHORS, site.id, page);

/** The categories of a site, sorted by name. */
export async function listCategories(scope: RequestScope, { siteId, ...page }: SiteListArguments) {
  const site = await readableSite(scope, siteId);
  return list(scope, CATEGORIES, site.id, page);
}
export const listCategoriesOf = (scope: RequestScope, site: Site, page: PageArguments) =>
  nestedList(scope, CATEGORIES, site.id, page);

/** Throws `CONFLICT` for a taken slug. */
/** Throws `NOT_FOUND`, also for an author of another site. */
export const findAuthor = (scope: RequestScope, siteId: string, id: string) => findLabel(scope, AUTHORS, 'Author', siteId, id);
export const findCategory = (scope: RequestScope, siteId: string, id: string) =>
  findLabel(scope, CATEGORIES, 'Category', siteId, id);

async function findLabel<T extends Author | PostCategory>(
  scope: RequestScope,
  { entity, rows: { columns } }: ListSource<T>,
  noun: string,
  siteId: string,
  id: string,
): Promise<T> {
  const site = await readableSite(scope, siteId);
  const where = { id, siteId: site.id } as Rows<T>['where'];
  const [found] = isId(id) ? await readRows(scope, entity, { columns, where }) : [];
  if (!found) throw fail('NOT_FOUND', `${noun} not found`);
  return found;
}

export const createAuthor = (scope: RequestScope, siteId: string, input: NewAuthor): Promise<Author> =>
  editSite(scope, siteId, async (inner, site) => {
    const { name, slug, bio = null, avatarUrl = null } = input;
    const { organizationId } = inner;
    const author = inner.em.create(Author, { organizationId, siteId: site.id, name, slug, bio, avatarUrl });
    await flushUnique(inner, taken('author', slug));
    return author;
  });

/** Throws `CONFLICT` for another version or a taken slug. */
export const updateAuthor = (scope: RequestScope, id: string, version: number, input: AuthorChange): Promise<Author> =>
  editLabel(scope, Author, 'author', id, version, input, (author) => {
    if (input.bio !== undefined) author.bio = input.bio;
    if (input.avatarUrl !== undefined) author.avatarUrl = input.avatarUrl;
  });

/** Throws `CONFLICT` while posts have this author. */
export const deleteAuthor = (scope: RequestScope, id: string) =>
  editRecord(scope, Author, 'Author', id, async (inner, author) => {
    const post = await inner.em.findOne(Post, { authorId: author.id });
    if (post) throw fail('CONFLICT', `The post ${post.slug} has this author`);
    return deleteRecord(inner, Author, author);
  });

/** Throws `CONFLICT` for a taken slug. */
export const createCategory = (scope: RequestScope, siteId: string, { name, slug }: NewPostCategory): Promise<PostCategory> =>
  editSite(scope, siteId, async (inner, site) => {
    const { organizationId } = inner;
    const category = inner.em.create(PostCategory, { organizationId, siteId: site.id, name, slug });
    await flushUnique(inner, taken('category', slug));
    return category;
  });

/** Throws `CONFLICT` for another version or a taken slug. */
export const updateCategory = (scope: RequestScope, id: string, version: number, input: PostCategoryChange) =>
  editLabel(scope, PostCategory, 'category', id, version, input, () => {});

/** Delete a category, also from its posts. */
export const deleteCategory = (scope: RequestScope, id: string) =>
  editRecord(scope, PostCategory, 'Category', id, (inner, category) => deleteRecord(inner, PostCategory, category));

const editLabel = <T extends Author | PostCategory>(
  scope: RequestScope,
  entity: EntityClass<T>,
  kind: 'author' | 'category',
  id: string,
  version: number,
  change: { name?: string | null; slug?: string | null },
  edit: (label: T) => void,
): Promise<T> =>
  editRecord(scope, entity, kind === 'author' ? 'Author' : 'Category', id, async (inner, label) => {
    startVersion(label, version, change);
    label.name = change.name ?? label.name;
    label.slug = change.slug ?? label.slug;
    edit(label);
    await flushUnique(inner, taken(kind, label.slug));
    return label;
  });

const taken = (kind: string, slug: string) => `The slug ${slug} is taken by another ${kind} of the site`;
