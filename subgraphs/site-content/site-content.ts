import type { Tables } from '../common/database.ts';
import type { SubgraphParts } from '../common/subgraph.ts';
import { SiteIdentityResolver } from './identity/resolver.ts';
import { SiteContent } from './migrations/0001-site-content.ts';
import { OrganizationSitesResolver } from './organizations/resolver.ts';
import { Site } from './sites/entity.ts';
import { SiteResolver } from './sites/resolver.ts';
import { loadSite } from './sites/service.ts';
import { Workspace } from './workspaces/entity.ts';
import { WorkspaceResolver } from './workspaces/resolver.ts';

/** The entities and migrations of site content, oldest migration first. */
export const siteContentTables: Tables = {
  entities: [Site, Workspace],
  migrations: [{ name: 'site-content-0001', class: SiteContent }],
};

export const siteContent: SubgraphParts = {
  name: 'site-content',
  resolvers: [OrganizationSitesResolver, SiteIdentityResolver, SiteResolver, WorkspaceResolver],
  references: {
    Organization: ({ id }, scope) => ({ id: scope.within(id).organizationId }),
    Site: ({ id }, scope) => loadSite(scope, id),
    Workspace: ({ id }, scope) => scope.load(Workspace, id),
  },
};
