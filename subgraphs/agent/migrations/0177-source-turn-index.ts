import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

/** The open sources of an organization in the order of their turns. */
export class SourceTurnIndex extends OnlineMigration {
  protected readonly statements = buildIndex(
    'agent.sources_in_turn',
    `agent.sources (organization_id, queued_at, id) where status not in ('ready', 'failed')`,
  );
}
