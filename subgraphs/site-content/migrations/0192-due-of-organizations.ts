import { buildIndex, OnlineMigration } from '../../../platform/migrations/online.ts';

/** An organization publishes a few scheduled records at a time, and must not read those of the others. */
export class DueOfOrganizations extends OnlineMigration {
  protected readonly statements = ['pages', 'items', 'posts'].flatMap((table) =>
    buildIndex(
      `site_content.${table}_due_of_organization`,
      `site_content.${table} (organization_id, publish_at) where status = 'scheduled'`,
    ),
  );
}
