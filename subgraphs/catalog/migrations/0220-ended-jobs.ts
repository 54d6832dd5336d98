import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

/** The latest ended jobs of an organization, which a snapshot for subscribers contains. */
export class EndedJobs extends OnlineMigration {
  protected readonly statements = buildIndex(
    'catalog.jobs_ended',
    'catalog.jobs (organization_id, completed_at desc) where completed_at is not null',
  );
}
