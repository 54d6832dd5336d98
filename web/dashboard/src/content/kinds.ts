import type { Kind, KindName } from './kind.ts';
import { authors } from './kinds/authors.ts';
import { categories } from './kinds/categories.ts';
import { collections } from './kinds/collections.ts';
import { forms } from './kinds/forms.ts';
import { pages } from './kinds/pages.ts';
import { posts } from './kinds/posts.ts';

/** The kinds of records that belong to a site itself. Items belong to a collection. */
export const kinds: Record<Exclude<KindName, 'items'>, Kind> = { pages, posts, authors, categories, collections, forms };

export const isKind = (name: string | undefined): name is keyof typeof kinds => name !== undefined && Object.hasOwn(kinds, name);
