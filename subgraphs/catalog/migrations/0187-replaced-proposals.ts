import type pg from 'pg';
import { buildIndex, StepwiseMigration } from '../../../platform/migrations/online.ts';

/** The current value takes over what an earlier one had replaced. Each run takes one earlier value of each product and attribute. */
const inherit = `
  with used as (
    select distinct on (later.item_id, later.slug) later.item_id as later_id, later.slug, r.item_id, r.base, r.base_provenance
      from catalog.proposals later
      join catalog.products p on p.id = later.product_id and later.proposed = p.attributes -> later.slug
      join catalog.proposals r on r.product_id = later.product_id and r.slug = later.slug and r.verdict is null
           and r.proposed = later.base and r.proposed <> later.proposed
     where later.verdict is null order by 1, 2, r.item_id
  ), inherited as (
    update catalog.proposals c set base = u.base, base_provenance = u.base_provenance from used u where c.item_id = u.later_id and c.slug = u.slug
  )
  delete from catalog.proposals r using used u where r.item_id = u.item_id and r.slug = u.slug
`;

const closeOthers = `
  delete from catalog.proposals r using catalog.products p
   where p.id = r.product_id and r.verdict is null and r.proposed is distinct from p.attributes -> r.slug
     and exists (select 1 from catalog.proposals later where later.product_id = r.product_id and later.slug = r.slug
                    and later.item_id <> r.item_id and later.verdict is null and later.proposed = p.attributes -> r.slug)
`;

/** The array selects the index, also when the plan was made for a statement that deleted many products. */
const closeOfDeleted = `
  create or replace function catalog.close_proposals() returns trigger language plpgsql as $$
  begin
    delete from catalog.proposals r
     where r.product_id = any(array(select id from before_rows)) and r.verdict is null
       and exists (select 1 from identity.organizations o where o.id = r.organization_id);
    return null;
  end $$
`;

/** A value that a later job replaced leaves the review queue, because nobody can decide about it. */
export class ReplacedProposals extends StepwiseMigration {
  protected override async migrate(client: pg.Client): Promise<void> {
    for (const statement of buildIndex('catalog.proposals_of_value', 'catalog.proposals (product_id, slug) where verdict is null'))
      await client.query(statement);
    let closed: number | null;
    do ({ rowCount: closed } = await client.query(inherit));
    while (closed);
    await client.query(closeOthers);
    await client.query(closeOfDeleted);
  }
}
