import { Migration } from '@mikro-orm/migrations';

export class AccountsAndInvitations extends Migration {
  override up(): void {
    this.addSql(`
      alter table identity.api_keys alter column organization_id drop not null, add column operator boolean not null default false;
      alter table identity.api_keys add constraint operator_keys_are_unbound check (not operator or organization_id is null);

      -- A user gets the trial credits once, whichever organization they go to.
      create unique index credit_entries_trial on identity.credit_entries (reference) where reference like 'trial:%';

      -- Every change of credits, plan or modules by an operator: who made it, and the account before and after.
      create table identity.account_changes (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        operator varchar(400) not null, key_id uuid, before jsonb not null, after jsonb not null, created_at timestamptz not null default now()
      );
      create index account_changes_newest on identity.account_changes (organization_id, created_at desc);

      create table identity.invitations (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        email varchar(320) not null, role text not null check (role in ('owner', 'admin', 'member')), token_hash bytea not null unique,
        inviter_id uuid not null, created_at timestamptz not null default now(), expires_at timestamptz not null, unique (organization_id, email),
        -- The invitations of a member end with the membership.
        foreign key (organization_id, inviter_id) references identity.memberships (organization_id, user_id)
          on delete cascade deferrable initially deferred
      );
      create index invitations_inviter on identity.invitations (organization_id, inviter_id);

      -- A member who gets a lower role must not leave invitations behind that the role could not grant.
      create function identity.withdraw_invitations() returns trigger language plpgsql as $$ begin
        delete from identity.invitations
         where organization_id = new.organization_id and inviter_id = new.user_id and (new.role = 'member' or role = 'owner');
        return null;
      end $$;
      create trigger withdraw_invitations after update of role on identity.memberships for each row
        when (new.role <> 'owner') execute function identity.withdraw_invitations();
    `);
  }
}
