import { Migration } from '@mikro-orm/migrations';

/** Deleted agents stay as rows until a sweep has removed their conversations. The audit log records the deletion when they are marked. */
export class DeletedAgents extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table agent.agents add column deleted_at timestamptz;
      create index agents_deleted on agent.agents (deleted_at) where deleted_at is not null;

      create function agent.record_deletion() returns trigger language plpgsql as $$
      begin
        perform identity.record_change(new.organization_id, 'agent', new.id, 'deleted', '{}');
        return null;
      end $$;
      drop trigger audit on agent.agents;
      create trigger audit after insert or update on agent.agents
        for each row when (new.deleted_at is null) execute function identity.audit('agent', 'id', 'organization_id', 'updated_at');
      create trigger audit_marked after update on agent.agents
        for each row when (old.deleted_at is null and new.deleted_at is not null) execute function agent.record_deletion();
      create trigger audit_removed after delete on agent.agents
        for each row when (old.deleted_at is null) execute function identity.audit('agent', 'id', 'organization_id', 'updated_at');
    `);
  }
}
