import { CountedBytes, json, text } from '../../../platform/migrations/counted-bytes.ts';

/** Counts sites, their content, and the submissions of their forms. */
export class BytesOfContent extends CountedBytes {
  protected readonly tables = [
    { table: 'site_content.pages', bytes: `400 + ${text('title', 'content')} + ${json('seo')}`, updates: 'true' },
    { table: 'site_content.items', bytes: `400 + ${json('fields')}`, updates: 'true' },
    { table: 'site_content.posts', bytes: `400 + ${text('title', 'excerpt', 'content')}`, updates: 'true' },
    { table: 'site_content.collections', bytes: `300 + ${json('fields', 'removed')}`, updates: 'true' },
    { table: 'site_content.forms', bytes: `300 + ${json('fields')}`, updates: 'true' },
    { table: 'site_content.authors', bytes: `300 + ${text('bio')}`, updates: 'true' },
    { table: 'site_content.submissions', bytes: `200 + ${json('values')}` },
    { table: 'site_content.redirects', bytes: '250', refuses: false },
  ] as const;
}
