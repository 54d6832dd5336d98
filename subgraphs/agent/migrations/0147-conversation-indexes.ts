import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

const NEWEST = '(coalesce(last_message_at, created_at)) desc, id desc';

/** The conversations of all agents are listed by their newest message, also by state. */
export class ConversationIndexes extends OnlineMigration {
  protected readonly statements = [
    ...buildIndex('agent.conversations_of_organization', `agent.conversations (organization_id, ${NEWEST})`),
    ...buildIndex('agent.conversations_by_status', `agent.conversations (organization_id, status, ${NEWEST})`),
    ...buildIndex(
      'agent.conversations_by_handoff',
      `agent.conversations (organization_id, handoff_status, ${NEWEST}) where handoff_status is not null`,
    ),
  ];
}
