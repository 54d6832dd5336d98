import { Migration } from '@mikro-orm/migrations';
import { createRuns, type RunsDefinition } from '../../../platform/lists/index.ts';

const statuses = Object.fromEntries(['draft', 'scheduled', 'published'].map((status) => [status, `(c.status = '${status}')`]));

type List = Pick<RunsDefinition, 'table' | 'list' | 'parent' | 'sorts' | 'classes'>;
const LISTS: List[] = [
  { table: 'pages', list: 'site_id', parent: 'sites', sorts: { path: {} }, classes: statuses },
  { table: 'items', list: 'collection_id', parent: 'collections', sorts: { created_at: { time: true } }, classes: statuses },
  { table: 'posts', list: 'site_id', parent: 'sites', sorts: { created_at: { time: true } }, classes: statuses },
  {
    table: 'submissions',
    list: 'form_id',
    parent: 'forms',
    sorts: { submitted_at: { time: true } },
    classes: { received: 'true' },
  },
];

export const CONTENT_RUNS = LISTS.map(
  ({ table, parent, ...each }): RunsDefinition => ({
    ...each,
    runs: `site_content.${table}_runs`,
    table: `site_content.${table}`,
    parent: `site_content.${parent}`,
    triggers: 'runs',
  }),
);

/** Runs of the lists that grow without limit. Their triggers come after those that take the lock of the content of an organization. */
export class ListRuns extends Migration {
  override up(): void {
    this.addSql(CONTENT_RUNS.map(createRuns).join('\n'));
  }
}
