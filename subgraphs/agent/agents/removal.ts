import type { RawBuilder } from 'kysely';
import { query, sql } from '../../../platform/database/index.ts';
import { deleteKeptFile } from '../../../platform/files/index.ts';
import { dropMailsOf } from '../../../platform/mail/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { refundRunning } from '../chat/finish.ts';

/** Rows of one transaction, messages of its conversations, and versions, which can be large. A message to one of them waits for the commit. */
const [BATCH, MESSAGES, VERSIONS] = [500, 20_000, 20];
/** Milliseconds for which a request removes the rows of its agent, and a sweep those of all agents. */
const [REQUEST, SWEEP] = [20_000, 10_000];
/** Requests may still remove the rows of newer agents. The random order gives each agent a turn, also behind one whose removal fails. */
const REST = `
  select id, organization_id as "organizationId" from agent.agents where deleted_at < now() - interval '30 seconds' order by random() limit 100`;

interface DeletedAgent {
  id: string;
  organizationId: string;
}

/** Remove the rows of a deleted agent in small transactions. If it takes too long, or fails, the sweep continues. */
export async function removeAgent(
  services: Services,
  { id, organizationId }: DeletedAgent,
  deadline = performance.now() + REQUEST,
): Promise<void> {
  const scope = detached({ services, organizationId });
  try {
    while (performance.now() < deadline && (await transaction(scope, (inner) => removeBatch(inner, id))));
  } catch (err) {
    log.warn({ err, agentId: id }, 'Failed to remove the rows of a deleted agent; the next sweep continues');
  }
}

/** Continue the removals that a killed process left. Safe to run in several processes at a time. */
export async function sweepAgents(services: Services): Promise<void> {
  const { rows } = await services.pool.query<DeletedAgent>(REST);
  const deadline = performance.now() + SWEEP;
  for (const agent of rows) await removeAgent(services, agent, deadline);
}

/** Returns false when nothing is left, or another process removes the agent. */
async function removeBatch(scope: Scope, id: string): Promise<boolean> {
  const { em } = scope;
  const claimed = await query(
    em,
    sql`select id from agent.agents where id = ${id} and deleted_at is not null for no key update skip locked`,
  );
  if (claimed.length === 0) return false;
  if (await removeConversations(scope, id)) return true;
  if (
    (await removeCalls(scope, id)) ||
    (await removeResults(scope, id)) ||
    (await removeVersions(scope, id)) ||
    (await removeNextSource(scope, id))
  )
    return true;
  // The rows of the other tables are few, and are deleted with it.
  await query(em, sql`delete from agent.agents where id = ${id}`);
  return false;
}

async function removeCalls({ em }: Scope, agentId: string): Promise<boolean> {
  const removed = await query(
    em,
    sql`delete from agent.tool_calls where id in (
          select id from agent.tool_calls where agent_id = ${agentId} limit ${BATCH} for update skip locked) returning 1`,
  );
  return removed.length > 0;
}

async function removeResults({ em }: Scope, agentId: string): Promise<boolean> {
  const removed = await query(
    em,
    sql`delete from agent.test_results where id in (
          select t.id from agent.test_runs r join agent.test_results t on t.run_id = r.id where r.agent_id = ${agentId} limit ${BATCH}) returning 1`,
  );
  return removed.length > 0;
}

async function removeVersions({ em }: Scope, agentId: string): Promise<boolean> {
  const removed = await query(
    em,
    sql`delete from agent.agent_versions where id in (select id from agent.agent_versions where agent_id = ${agentId} limit ${VERSIONS}) returning 1`,
  );
  return removed.length > 0;
}

/** Waits for the current step of its ingestion, which needs the agent at its commit. */
async function removeNextSource(scope: Scope, agentId: string): Promise<boolean> {
  const [source] = await query(scope.em, sql<{ id: string }>`select id from agent.sources where agent_id = ${agentId} limit 1`);
  return source !== undefined && removeSource(scope, source.id);
}

async function removeConversations(scope: Scope, agentId: string): Promise<boolean> {
  // Waits for locks only when all conversations that remain are locked, so that it holds no conversation that others may use when it begins to wait.
  const idle = await lockConversations(scope, agentId, sql`for update skip locked`);
  const ids = idle.length > 0 ? idle : await lockConversations(scope, agentId, sql`for update`);
  if (ids.length === 0) return false;
  await dropMailsOf(scope, ids);
  await refundRunning(scope, sql`c.id = any(${ids}::uuid[])`);
  await query(scope.em, sql`delete from agent.conversations where id = any(${ids}::uuid[])`);
  return true;
}

/** Locks at least one conversation, if there is one, and returns as many as a statement can delete. */
async function lockConversations({ em }: Scope, agentId: string, locking: RawBuilder<unknown>): Promise<string[]> {
  const locked = await query(
    em,
    sql<{ id: string; count: number }>`
      select id, message_count as count from agent.conversations where agent_id = ${agentId} limit ${BATCH} ${locking}`,
  );
  let messages = 0;
  const fitting = locked.filter(({ count }, at) => {
    messages += count;
    return at === 0 || messages <= MESSAGES;
  });
  return fitting.map(({ id }) => id);
}

/** In the order in which the steps of an ingestion lock them, before the source. Another order would be a deadlock with a step. */
const CONTENT = ['agent.source_discoveries', 'agent.chunks', 'agent.source_pages', 'agent.staged_chunks'];

/** Deletes a source with its content and its file, in the transaction of the scope. Returns false if it does not exist. */
export async function removeSource(scope: Scope, id: string): Promise<boolean> {
  const { em, organizationId } = scope;
  for (const table of CONTENT) await query(em, sql`delete from ${sql.table(table)} where source_id = ${id}`);
  const [removed] = await query(
    em,
    sql<{ fileId: string | null }>`delete from agent.sources where id = ${id} and organization_id = ${organizationId}
       returning file_id as "fileId"`,
  );
  if (removed?.fileId) await deleteKeptFile(scope, removed.fileId);
  return removed !== undefined;
}
