import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Ticket } from './entity.ts';

/**
 * Throws `UNPROCESSABLE` for tickets of different requesters when a visitor of the widget reads one of them: the visitor would read the
 * messages of the other requester. The e-mail addresses do not count, because a visitor may claim any address.
 */
export async function checkRequesters(scope: Scope, ticket: Ticket, other: Ticket): Promise<void> {
  const visitors = await visitorsOf(scope, [ticket, other]);
  if (visitors.size === 0) return;
  if (visitors.size === 2 && new Set(visitors.values()).size === 1) return;
  throw fail(
    'UNPROCESSABLE',
    `${ticket.ticketNumber} and ${other.ticketNumber} may have different requesters, and a chat visitor would read the messages of both.`,
  );
}

/** The visitors of the widget who read these tickets, by id of the ticket. */
async function visitorsOf({ em, organizationId }: Scope, tickets: Ticket[]): Promise<Map<string, string>> {
  const rows = await query(
    em,
    sql<{ id: string; visitor: string }>`
      select t.id, c.agent_id || ' ' || c.visitor_id as visitor
        from agent.tickets t join agent.conversations c on c.id = t.conversation_id and c.channel = 'widget'
       where t.organization_id = ${organizationId} and t.id = any(${tickets.map(({ id }) => id)}::uuid[]) and c.visitor_id is not null`,
  );
  return new Map(rows.map(({ id, visitor }) => [id, visitor]));
}
