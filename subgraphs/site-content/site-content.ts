import type { SubgraphParts } from '../../platform/subgraph/index.ts';
import { PostLabelResolver, SiteBlogResolver } from './blog/authors-and-categories.ts';
import { PostPublicationResolver, PostResolver } from './blog/posts.ts';
import { CollectionItemResolver, ItemPublicationResolver } from './collections/items.ts';
import { CollectionResolver, SiteCollectionsResolver } from './collections/resolver.ts';
import { RedirectResolver } from './content/addresses.ts';
import { DomainOfSiteResolver, SiteDomainResolver } from './domains/resolver.ts';
import { SiteFormResolver, SiteFormsResolver } from './forms/resolver.ts';
import { SiteIdentityResolver } from './identity/resolver.ts';
import { WorkspaceMemberResolver, WorkspaceMembersResolver } from './members/resolver.ts';
import { PagePublicationResolver, PageResolver, SitePagesResolver } from './pages/service.ts';
import { loadSite, SiteResolver } from './sites/service.ts';
import { SiteWebhookResolver, siteWebhookDeliveryResolvers } from './webhooks/resolver.ts';
import { Workspace } from './workspaces/entity.ts';
import { OrganizationSitesResolver, WorkspaceResolver } from './workspaces/resolver.ts';

export const siteContent: SubgraphParts = {
  name: 'site-content',
  hasWorkspaces: true,
  resolvers: [
    PostLabelResolver,
    SiteBlogResolver,
    PostResolver,
    PostPublicationResolver,
    CollectionItemResolver,
    ItemPublicationResolver,
    CollectionResolver,
    SiteCollectionsResolver,
    RedirectResolver,
    SiteDomainResolver,
    DomainOfSiteResolver,
    SiteFormResolver,
    SiteFormsResolver,
    SiteIdentityResolver,
    WorkspaceMemberResolver,
    WorkspaceMembersResolver,
    OrganizationSitesResolver,
    PageResolver,
    PagePublicationResolver,
    SitePagesResolver,
    SiteResolver,
    ...siteWebhookDeliveryResolvers,
    SiteWebhookResolver,
    WorkspaceResolver,
  ],
  references: {
    Organization: ({ id }, scope) => ({ id: scope.within(id).organizationId }),
    Site: ({ id }, scope) => loadSite(scope, id),
    Workspace: ({ id }, scope) => scope.load(Workspace, id),
  },
};
