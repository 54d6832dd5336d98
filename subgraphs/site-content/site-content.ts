import type { Tables } from '../common/database/database.ts';
import type { SubgraphParts } from '../common/subgraph/build.ts';
import { Author, Post, PostCategory } from './blog/entity.ts';
import { PostLabelResolver, SiteBlogResolver } from './blog/labels-resolver.ts';
import { PostResolver } from './blog/resolver.ts';
import { Collection, CollectionItem } from './collections/entity.ts';
import { CollectionItemResolver } from './collections/items-resolver.ts';
import { CollectionResolver, SiteCollectionsResolver } from './collections/resolver.ts';
import { Redirect } from './content/addresses.ts';
import { ContentChange, ContentTally, PrunedChanges } from './content/change-entity.ts';
import { RedirectResolver } from './content/redirects-resolver.ts';
import { SiteDomain } from './domains/entity.ts';
import { DomainOfSiteResolver, SiteDomainResolver } from './domains/resolver.ts';
import { SiteForm, SiteFormSubmission } from './forms/entity.ts';
import { SiteFormResolver, SiteFormsResolver } from './forms/resolver.ts';
import { SiteIdentityResolver } from './identity/resolver.ts';
import { WorkspaceMember } from './members/entity.ts';
import { WorkspaceMemberResolver, WorkspaceMembersResolver } from './members/resolver.ts';
import { SiteContent } from './migrations/0001-site-content.ts';
import { Content } from './migrations/0080-content.ts';
import { PublishedChanges } from './migrations/0117-published-changes.ts';
import { WorkspaceKeys } from './migrations/0127-workspace-keys.ts';
import { ChangeRetention } from './migrations/0128-change-retention.ts';
import { PublishedSites } from './migrations/0129-published-sites.ts';
import { ListRuns } from './migrations/0148-list-runs.ts';
import { LongerListRuns } from './migrations/0180-longer-list-runs.ts';
import { ChangesOfParts } from './migrations/0184-changes-of-parts.ts';
import { ChangesOfPosts } from './migrations/0191-changes-of-posts.ts';
import { OrganizationSitesResolver } from './organizations/resolver.ts';
import { Page } from './pages/entity.ts';
import { PageResolver, SitePagesResolver } from './pages/resolver.ts';
import { Site } from './sites/entity.ts';
import { SiteResolver } from './sites/resolver.ts';
import { loadSite } from './sites/service.ts';
import { SiteWebhookDeliveryResolver, SiteWebhookDeliveryUpdateResolver } from './webhooks/delivery-resolver.ts';
import { SiteWebhookResolver } from './webhooks/resolver.ts';
import { Workspace } from './workspaces/entity.ts';
import { WorkspaceResolver } from './workspaces/resolver.ts';

/** The entities and migrations of site content, oldest migration first. */
export const siteContentTables: Tables = {
  entities: [
    Site,
    Workspace,
    WorkspaceMember,
    SiteDomain,
    Page,
    SiteForm,
    SiteFormSubmission,
    Collection,
    CollectionItem,
    Author,
    PostCategory,
    Post,
    Redirect,
    ContentChange,
    ContentTally,
    PrunedChanges,
  ],
  migrations: [
    { name: 'site-content-0001', class: SiteContent },
    { name: 'site-content-0080', class: Content },
    { name: 'site-content-0117', class: PublishedChanges },
    { name: 'site-content-0127', class: WorkspaceKeys },
    { name: 'site-content-0128', class: ChangeRetention },
    { name: 'site-content-0129', class: PublishedSites },
    { name: 'site-content-0148', class: ListRuns },
    { name: 'site-content-0180', class: LongerListRuns },
    { name: 'site-content-0184', class: ChangesOfParts },
    { name: 'site-content-0191', class: ChangesOfPosts },
  ],
};

export const siteContent: SubgraphParts = {
  name: 'site-content',
  hasWorkspaces: true,
  resolvers: [
    OrganizationSitesResolver,
    SiteIdentityResolver,
    SiteResolver,
    WorkspaceResolver,
    WorkspaceMemberResolver,
    WorkspaceMembersResolver,
    SiteDomainResolver,
    DomainOfSiteResolver,
    PageResolver,
    SitePagesResolver,
    SiteFormResolver,
    SiteFormsResolver,
    CollectionResolver,
    CollectionItemResolver,
    SiteCollectionsResolver,
    PostResolver,
    PostLabelResolver,
    SiteBlogResolver,
    RedirectResolver,
    SiteWebhookResolver,
    SiteWebhookDeliveryResolver,
    SiteWebhookDeliveryUpdateResolver,
  ],
  references: {
    Organization: ({ id }, scope) => ({ id: scope.within(id).organizationId }),
    Site: ({ id }, scope) => loadSite(scope, id),
    Workspace: ({ id }, scope) => scope.load(Workspace, id),
  },
};
