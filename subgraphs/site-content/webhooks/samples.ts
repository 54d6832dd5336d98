import type { Word } from '../../../schema/words.ts';
import type { Samples } from '../../common/webhooks/test-event.ts';

const id = '00000000-0000-4000-8000-000000000000';
const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const published = { status: 'published', publishedAt: '2026-01-01T00:00:00.000Z', ...times };

const page = {
  id,
  siteId: id,
  title: 'Sample page',
  slug: 'sample',
  path: '/sample',
  seo: { title: null, description: null },
  ...published,
};
const item = { id, siteId: id, collectionId: id, slug: 'sample', fields: { name: 'Sample item' }, ...published };
const post = {
  id,
  siteId: id,
  title: 'Sample post',
  slug: 'sample',
  excerpt: 'Sample text',
  authorId: null,
  categoryIds: [],
  coverImage: null,
  ...published,
};

/** Payloads of test deliveries. Their ids belong to no record. */
export const samples = {
  'form.submission.created': {
    id,
    formId: id,
    values: { message: 'Sample message' },
    submittedAt: times.createdAt,
    pageId: null,
    siteId: id,
    formName: 'Sample form',
  },
  'site.published': { id, workspaceId: id, name: 'Sample site', slug: 'sample', ...published },
  'page.created': page,
  'page.updated': page,
  'page.deleted': page,
  'collection.item.created': item,
  'collection.item.updated': item,
  'collection.item.deleted': item,
  'blog.post.published': post,
  'blog.post.updated': post,
  'blog.post.deleted': post,
} as const satisfies Samples & Record<Word<'SiteEvent'>, Record<string, unknown>>;
