import { database } from '../support/seed.ts';

/** Insert an empty conversation of a visitor, and return its id. */
export async function seedConversation(organizationId: string, agentId: string): Promise<string> {
  const { rows } = await database().query(
    `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status)
     values (gen_random_uuid(), $1, $2, gen_random_uuid(), 'widget', 'open') returning id`,
    [organizationId, agentId],
  );
  return rows[0].id;
}
