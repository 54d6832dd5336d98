import type pg from 'pg';
import { buildIndex, StepwiseMigration } from '../../../platform/migrations/online.ts';

/** Replaces the index by parent with one in which a large parent is read in batches. */
const index = [
  ...buildIndex('catalog.products_variants', 'catalog.products (parent_id, id) where parent_id is not null'),
  'drop index concurrently if exists catalog.products_parent',
];

/** The foreign key detaches the variants of a deleted parent. Readers who mirror a catalog must see that. */
const trigger = `
  begin;
  set local lock_timeout = '5s';
  create or replace function catalog.variant_detached() returns trigger language plpgsql as $$
  begin new.updated_at := clock_timestamp(); return new; end $$;
  create or replace trigger variant_detached before update of parent_id on catalog.products for each row
    when (old.parent_id is not null and new.parent_id is null and new.updated_at = old.updated_at)
    execute function catalog.variant_detached();
  commit;
`;

/** Reads the variants of a parent in batches, and changes their time when it is deleted. */
export class Variants extends StepwiseMigration {
  protected override async migrate(client: pg.Client): Promise<void> {
    for (const statement of index) await client.query(statement);
    await client.query(trigger);
  }
}
