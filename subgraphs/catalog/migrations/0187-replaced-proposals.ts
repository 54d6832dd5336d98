import { buildIndex, OnlineMigration } from '../../common/migrations/online.ts';

const closeEarlier = `
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
export class ReplacedProposals extends OnlineMigration {
  protected readonly statements = [
    ...buildIndex('catalog.proposals_of_value', 'catalog.proposals (product_id, slug) where verdict is null'),
    closeEarlier,
    closeOfDeleted,
  ];
}
