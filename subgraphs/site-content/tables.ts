import type { Tables } from '../../platform/database/index.ts';
import { Author, Post, PostCategory } from './blog/entity.ts';
import { Collection, CollectionItem } from './collections/entity.ts';
import { Redirect } from './content/addresses.ts';
import { ContentChange, ContentCount, PrunedChanges } from './content/change-feed.ts';
import { SiteDomain } from './domains/resolver.ts';
import { SiteForm, SiteFormSubmission } from './forms/entity.ts';
import { WorkspaceMember } from './members/entity.ts';
import { SiteContentBaseline } from './migrations/0001-baseline.ts';
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
    ContentCount,
    PrunedChanges,
  ],
  migrations: [{ name: 'site-content-0001', class: SiteContentBaseline }],
};
