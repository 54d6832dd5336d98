import { Migration } from '@mikro-orm/migrations';

/** The work that a charge paid for, from its reason. */
const kindOf = (reason: string) =>
  `case when ${reason} = 'chat reply' then 'chat' else regexp_replace(${reason}, ' item$', '') end`;

export class CreditUsage extends Migration {
  override up(): void {
    this.addSql(`

      create table identity.credit_usage (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        day date not null, kind text not null, credits numeric(16,4) not null default 0, charges bigint not null default 0,
        refunds bigint not null default 0, primary key (organization_id, day, kind)
      ) with (fillfactor = 70);
      insert into identity.credit_usage (organization_id, day, kind, credits, charges, refunds)
      select e.organization_id, (e.created_at at time zone 'UTC')::date,
             case when e.reference like 'reply%' then 'chat' else ${kindOf('coalesce(o.reason, e.reason)')} end,
             -sum(e.amount), count(*) filter (where e.amount < 0), count(*) filter (where e.amount >= 0)
        from identity.credit_entries e
        left join identity.credit_entries o on o.organization_id = e.organization_id and e.reference = 'refund:' || o.reference
       where e.reference ~ '^(refund:)?item:|^reply(-refund)?:' group by 1, 2, 3;

      -- Count a charge or refund of a job item or reply. Other movements are no usage.
      create function identity.count_usage(organization uuid, delta numeric, why text, what text) returns void language plpgsql as $$
      declare paid_for text := case when what like 'reply%' then 'chat' when what like 'item:%' then ${kindOf('why')}
        when what like 'refund:item:%' then (select ${kindOf('reason')} from identity.credit_entries
          where organization_id = organization and reference = substr(what, 8)) end;
      begin
        if paid_for is null then return; end if;
        insert into identity.credit_usage as u (organization_id, day, kind, credits, charges, refunds)
        values (organization, (now() at time zone 'UTC')::date, paid_for, -delta, (delta < 0)::int, (delta >= 0)::int)
        on conflict (organization_id, day, kind) do update set credits = u.credits + excluded.credits,
          charges = u.charges + excluded.charges, refunds = u.refunds + excluded.refunds;
      end $$;

      create or replace function identity.move_credits(entry uuid, organization uuid, delta numeric, why text, what text, enforce boolean)
      returns boolean language plpgsql as $$
      begin
        insert into identity.credit_entries (id, organization_id, amount, reason, reference) values (entry, organization, delta, why, what)
        on conflict (organization_id, reference) do nothing;
        if not found then return true; end if;
        update identity.organizations set credits = credits + delta where id = organization and (not enforce or credits + delta >= 0);
        if found then
          perform identity.count_usage(organization, delta, why, what);
          return true;
        end if;
        delete from identity.credit_entries where id = entry;
        return false;
      end $$;
    `);
  }
}
