import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { database } from '../support/seed.ts';
import { openIntegration } from './integration.ts';

/** The page that embeds the agents. */
export const origin = 'https://shop.example.com';

/** An agent on a page, and a visitor with a conversation. */
export async function open(options: Parameters<typeof openIntegration>[0] = {}) {
  const integration = await openIntegration(options);
  const { graphql, agent, organization, post } = integration;
  const update = 'mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }';
  await graphql(update, { id: agent.id, input: { allowedOrigins: [origin] } });
  const converse = async (visitorId: string): Promise<string> => {
    const { rows } = await database().query(
      `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status)
       values (gen_random_uuid(), $1, $2, $3, 'widget', 'open') returning id`,
      [organization.id, agent.id, visitorId],
    );
    return rows[0].id;
  };
  const visitorId = randomUUID();
  const conversationId = await converse(visitorId);
  /** A ticket of the conversation, as the agent raises it. */
  const raise = async (of = conversationId) => {
    const { body } = await post('/tickets', { agentId: agent.id, subject: 'Broken lamp', requesterEmail: 'ada@example.com' });
    await database().query('update agent.tickets set conversation_id = $2 where id = $1', [body.id, of]);
    return body as { id: string; ticketNumber: string };
  };
  const { send } = caller(undefined);
  const visit = (method: string, path: string, body?: object, visitor: string | null = visitorId, from = origin, more = {}) =>
    send(method, `/api/agents/${agent.publicSlug}${path}`, body, {
      origin: from,
      ...(visitor && { 'x-visitor-id': visitor }),
      ...more,
    });
  return { ...integration, visitorId, conversationId, converse, raise, visit };
}
