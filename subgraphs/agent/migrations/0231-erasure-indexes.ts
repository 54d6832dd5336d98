import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

/** An erasure finds the records of a conversation, and the messages of a merged ticket. */
export class ErasureIndexes extends OnlineMigration {
  protected readonly statements = [
    ...buildIndex('agent.leads_conversation', 'agent.leads (conversation_id) where conversation_id is not null'),
    ...buildIndex(
      'agent.form_submissions_conversation',
      'agent.form_submissions (conversation_id) where conversation_id is not null',
    ),
    ...buildIndex('agent.ticket_messages_merged', 'agent.ticket_messages (merged_from_id) where merged_from_id is not null'),
  ];
}
