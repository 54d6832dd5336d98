import type pg from 'pg';
import { CountedBytes, json, text } from '../../../platform/migrations/counted-bytes.ts';

/** A vector has 512 numbers. The text of a passage is stored again for the search by words. */
const PASSAGE = `2500 + 2 * (${text('context', 'text')})`;

/** The organization of staged passages is that of their source. The foreign key would delete them when it is gone, and they would count forever. */
const STAGED_FIRST = `
  begin;
  set local lock_timeout = '5s';
  create or replace function agent.remove_staged_chunks() returns trigger language plpgsql as $$
  begin delete from agent.staged_chunks where source_id = old.id; return old; end $$;
  create or replace trigger staged_first before delete on agent.sources for each row execute function agent.remove_staged_chunks();
  commit;
`;

/** Counts agents, their knowledge, and what visitors and teammates write. The end of a reply is never refused. */
export class BytesOfAgents extends CountedBytes {
  protected readonly tables = [
    {
      table: 'agent.agents',
      bytes: `500 + ${text('system_prompt', 'welcome_message')} + ${json('theme', 'branding')}`,
      updates: 'true',
    },
    {
      table: 'agent.tools',
      bytes: `500 + ${text('description', 'body_template')} + ${json('input_schema', 'headers_template', 'query_template', 'response_mapping')}`,
      updates: 'true',
    },
    // Their content never changes.
    { table: 'agent.sources', bytes: `500 + ${text('text')} + ${json('qa')}` },
    { table: 'agent.source_pages', bytes: `300 + ${text('url')}` },
    { table: 'agent.chunks', bytes: PASSAGE },
    {
      table: 'agent.staged_chunks',
      bytes: PASSAGE,
      organization: '(select s.organization_id from agent.sources s where s.id = r.source_id)',
    },
    { table: 'agent.conversations', bytes: '500' },
    // A reply counts when it ends, with one update of a counter.
    {
      table: 'agent.messages',
      bytes: `case when r.status = 'running' then 0 else 400 + ${text('text')} + ${json('parts')} end`,
      updates: 'false',
    },
    { table: 'agent.form_submissions', bytes: `200 + ${json('values')}` },
    { table: 'agent.leads', bytes: '400' },
    { table: 'agent.contacts', bytes: '300' },
    { table: 'agent.tickets', bytes: `500 + ${text('description', 'conversation_summary')}`, updates: 'true' },
    { table: 'agent.ticket_messages', bytes: `200 + ${text('text')}` },
  ] as const;

  protected override async migrate(client: pg.Client): Promise<void> {
    await client.query(STAGED_FIRST);
    await super.migrate(client);
  }
}
