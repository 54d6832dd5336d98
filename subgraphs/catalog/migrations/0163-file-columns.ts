import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

/** Groups the items of a label job by their attributes, so that a download knows its columns without reading every item. */
export class FileColumns extends OnlineMigration {
  protected readonly statements = [
    // A hash of the slugs and names of the attributes.
    `create or replace function catalog.column_shape(data jsonb) returns bigint language sql immutable strict parallel safe as $$
      select hashtextextended(coalesce(jsonb_object_agg(a.key, a.value -> 'attributeName'), '{}')::text, 0) from jsonb_each(data) a
    $$`,
    ...buildIndex(
      'catalog.job_items_by_columns',
      'catalog.job_items (job_id, catalog.column_shape(enriched_data)) where subject is not null and enriched_data is not null',
    ),
  ];
}
