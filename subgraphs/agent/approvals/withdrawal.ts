import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { QUEUE_CHANNEL } from '../handoff/handoff-state.ts';

/** Withdraw the requests that wait for these parties in a locked conversation. `agent.add_reply` does the same for those of the visitor. */
export async function withdrawApprovals(
  { em, organizationId }: Scope,
  conversationId: string,
  parties: EnumValue<'ApprovalParty'>[],
): Promise<void> {
  await query(
    em,
    sql`with withdrawn as (
          update agent.approvals set status = 'withdrawn', decided_at = now()
           where conversation_id = ${conversationId} and status = 'pending' and party = any(${parties}::text[]) returning party)
        select pg_notify(${QUEUE_CHANNEL}, ${organizationId}::text) from withdrawn where party = 'operator' limit 1`,
  );
}
