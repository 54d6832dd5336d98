import { Migration } from '@mikro-orm/migrations';

/** Charges that grow, such as that of the passages of a source, and the usage of everything that is charged. */
export class ChargedEmbeddings extends Migration {
  override up(): void {
    this.addSql(`
      -- Count a charge or refund of the work that its reference names. Other movements are no usage.
      create or replace function identity.count_usage(organization uuid, delta numeric, why text, what text) returns void language plpgsql as $$
      declare paid_for text := case when what like any ('{reply%,summary:%,voice:%}') then 'chat' when what like 'source:%' then 'indexing'
        when what like 'retrieval-test:%' then 'retrieval-test' when what like 'item:%' then regexp_replace(why, ' item$', '')
        when what like 'refund:item:%' then (select regexp_replace(reason, ' item$', '') from identity.credit_entries
          where organization_id = organization and reference = substr(what, 8)) end;
      begin
        if paid_for is null then return; end if;
        insert into identity.credit_usage as u (organization_id, day, kind, credits, charges, refunds)
        values (organization, (now() at time zone 'UTC')::date, paid_for, -delta, (delta < 0)::int, (delta >= 0)::int)
        on conflict (organization_id, day, kind) do update set credits = u.credits + excluded.credits,
          charges = u.charges + excluded.charges, refunds = u.refunds + excluded.refunds;
      end $$;

      create function identity.add_charge(entry uuid, organization uuid, delta numeric, why text, what text, enforce boolean)
      returns boolean language plpgsql as $$
      begin
        -- The organization last, as in move_credits. Another order would be a deadlock with the counter of the ledger.
        insert into identity.credit_entries as e (id, organization_id, amount, reason, reference) values (entry, organization, delta, why, what)
        on conflict (organization_id, reference) do update set amount = e.amount + excluded.amount;
        update identity.organizations set credits = credits + delta where id = organization and (not enforce or credits + delta >= 0);
        if found then
          perform identity.count_usage(organization, delta, why, what);
          return true;
        end if;
        delete from identity.credit_entries where id = entry;
        update identity.credit_entries set amount = amount - delta where organization_id = organization and reference = what;
        return false;
      end $$;
    `);
  }
}
