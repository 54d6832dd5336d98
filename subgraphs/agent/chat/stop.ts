import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { STOP_CHANNEL } from './store.ts';

/** Ask the process that writes the running reply of a conversation to stop. Returns the reply, or undefined when nothing runs. */
export async function stopRunning(em: Scope['em'], conversationId: string): Promise<string | undefined> {
  const [stopped] = await query(
    em,
    sql<{
      id: string;
    }>`update agent.messages set stop_requested = true where conversation_id = ${conversationId} and status = 'running'
                        returning id, pg_notify(${STOP_CHANNEL}, id::text)`,
  );
  return stopped?.id;
}
