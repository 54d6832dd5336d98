import type pg from 'pg';
import { StepwiseMigration } from '../../../platform/migrations/online.ts';

const close = `
  begin;
  set local lock_timeout = '5s';
  create or replace function catalog.close_proposals() returns trigger language plpgsql as $$
  begin
    delete from catalog.proposals r using before_rows p join catalog.job_items i on i.product_id = p.id
     where r.item_id = i.id and r.verdict is null
       and exists (select 1 from identity.organizations o where o.id = p.organization_id);
    return null;
  end $$;
  -- Its name is the first, because enrichments also lock the counters of proposals before those of products.
  create or replace trigger close_proposals after delete on catalog.products referencing old table as before_rows
    for each statement execute function catalog.close_proposals();
  commit;
`;

const closeEarlier = `
  delete from catalog.proposals r where verdict is null and not exists (select 1 from catalog.products p where p.id = r.product_id)
`;

/** Nobody can decide about a value of a deleted product, so it would stay in the review queue forever. */
export class ProposalsOfDeletedProducts extends StepwiseMigration {
  protected override async migrate(client: pg.Client): Promise<void> {
    await client.query(close);
    // Outside of the transaction of the trigger, whose lock refuses writes of products.
    await client.query(closeEarlier);
  }
}
