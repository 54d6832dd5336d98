import type { Pool } from 'pg';
import { ofPresentAgent } from '../agents/present.ts';

/** Sources that one call queues. The rest waits for the next call, a minute later. */
const LIMIT = 200;

const QUEUE = `
  with due as (
    select id, organization_id from agent.sources s where next_refresh_at <= now() and status in ('ready', 'failed')
       and ${ofPresentAgent('s')}
     order by next_refresh_at limit ${LIMIT} for update skip locked),
  queued as (
    update agent.sources s set status = 'queued', queued_at = now(), error = null, next_refresh_at = null, sequence = sequence + 1
      from due where s.id = due.id returning s.*),
  logged as (
    insert into agent.source_changes (source_id, sequence, status, page_count, failed_page_count, page_total, staged_count, embedded_count, chunk_count)
    select id, sequence, status, page_count, failed_page_count, page_total, staged_count, embedded_count, chunk_count from queued)
  insert into identity.outbox (topic, payload)
  select 'source.start', jsonb_build_object('sourceId', id, 'organizationId', organization_id) from queued`;

/** Queues the ingestion of the sources whose refresh is due, and forgets hosts that nobody crawls. Any number of processes may call it. */
export async function refreshDue(pool: Pool): Promise<number> {
  await pool.query(
    `delete from agent.crawl_hosts where busy_until < now() - interval '1 day' and free_at < now() - interval '1 day'`,
  );
  await pool.query(`delete from agent.crawl_turns where wanted_until < now() - interval '1 day'`);
  const { rowCount } = await pool.query(QUEUE);
  return rowCount ?? 0;
}
