import type { Tables } from '../../platform/database/index.ts';
import { Author, Post, PostCategory } from './blog/entity.ts';
import { Collection, CollectionItem } from './collections/entity.ts';
import { Redirect } from './content/addresses.ts';
import { ContentChange, ContentTally, PrunedChanges } from './content/change-entity.ts';
import { SiteDomain } from './domains/entity.ts';
import { SiteForm, SiteFormSubmission } from './forms/entity.ts';
import { WorkspaceMember } from './members/entity.ts';
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
import { DueOfOrganizations } from './migrations/0192-due-of-organizations.ts';
import { RedirectCounts } from './migrations/0193-redirect-counts.ts';
import { BytesOfContent } from './migrations/0207-bytes-of-content.ts';
import { LostDomains } from './migrations/0234-lost-domains.ts';
import { Page } from './pages/entity.ts';
import { Site } from './sites/entity.ts';
import { Workspace } from './workspaces/entity.ts';

/** The entities and migrations of site content. */
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
    { name: 'site-content-0192', class: DueOfOrganizations },
    { name: 'site-content-0193', class: RedirectCounts },
    { name: 'site-content-0207', class: BytesOfContent },
    { name: 'site-content-0234', class: LostDomains },
  ],
};
