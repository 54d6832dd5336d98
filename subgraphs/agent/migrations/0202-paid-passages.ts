import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

/** Finds the vectors that a failed run has paid for. */
export class PaidPassages extends OnlineMigration {
  protected readonly statements = buildIndex(
    'agent.staged_chunks_by_hash',
    'agent.staged_chunks (source_id, content_hash) where embedding_model is not null',
  );
}
