import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

/** Finds files that were not used for long, and the jobs that use a file. */
export class FileUses extends OnlineMigration {
  protected readonly statements = [
    ...buildIndex('catalog.files_unused', 'catalog.files (used_at) where ready'),
    ...buildIndex('catalog.jobs_by_file', `catalog.jobs using gin (uploaded_file_ids) where uploaded_file_ids <> '{}'`),
  ];
}
