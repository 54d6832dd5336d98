import {
  IconBinaryTree2,
  IconFileImport,
  IconHome,
  IconInbox,
  IconListCheck,
  IconPackages,
  IconRobot,
  IconRosetteDiscount,
  IconSettings,
  IconStack2,
  IconTags,
  IconWebhook,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Strings } from './strings/en/index.ts';

/** A page of an organization. */
export interface Route {
  /** Below `/o/<organization>/`. */
  path: string;
  /** The name in the navigation and of the browser tab. */
  name: keyof Strings['pages'];
  /** Only pages with an icon are in the navigation. */
  icon?: TablerIcon;
  load(): Promise<{ Page: ComponentType }>;
}

/** One of the pages of a file. */
const pageOf = async <Name extends string>(file: Promise<Record<Name, ComponentType>>, name: Name) => ({
  Page: (await file)[name],
});
const loadItems = () => pageOf(import('./pages/content-record/page.tsx'), 'CollectionPage');

/** All pages, in the order of the navigation. One route has all tabs of a page, so that a change of the tab keeps the focus. */
export const routes: Route[] = [
  { path: '', name: 'home', icon: IconHome, load: () => import('./pages/home/page.tsx') },
  { path: 'products', name: 'products', icon: IconPackages, load: () => import('./pages/products/page.tsx') },
  { path: 'products/deleted', name: 'deletedProducts', load: () => import('./pages/deleted-products/page.tsx') },
  { path: 'products/:id', name: 'product', load: () => import('./pages/product/page.tsx') },
  { path: 'brands', name: 'brands', icon: IconRosetteDiscount, load: () => pageOf(import('./labels/label-list.tsx'), 'Brands') },
  { path: 'brands/:id', name: 'brand', load: () => pageOf(import('./labels/label-detail.tsx'), 'Brand') },
  {
    path: 'categories',
    name: 'categories',
    icon: IconBinaryTree2,
    load: () => pageOf(import('./labels/label-list.tsx'), 'Categories'),
  },
  { path: 'categories/:id', name: 'category', load: () => pageOf(import('./labels/label-detail.tsx'), 'Category') },
  { path: 'attributes/:view?', name: 'attributes', icon: IconTags, load: () => import('./pages/attributes/page.tsx') },
  { path: 'attributes/edit/:id', name: 'attribute', load: () => import('./pages/attribute/page.tsx') },
  { path: 'attributes/sets/:id', name: 'attributeSet', load: () => import('./pages/attribute-set/page.tsx') },
  { path: 'imports', name: 'imports', icon: IconFileImport, load: () => import('./pages/imports/page.tsx') },
  { path: 'imports/new', name: 'newImport', load: () => import('./pages/new-import/page.tsx') },
  { path: 'imports/:id', name: 'import', load: () => import('./pages/import/page.tsx') },
  { path: 'jobs', name: 'jobs', icon: IconStack2, load: () => import('./pages/jobs/page.tsx') },
  { path: 'jobs/new', name: 'newJob', load: () => import('./pages/new-job/page.tsx') },
  { path: 'jobs/rules', name: 'gapRules', load: () => import('./pages/gap-rules/page.tsx') },
  { path: 'jobs/:id', name: 'job', load: () => import('./pages/job/page.tsx') },
  { path: 'jobs/:id/compare', name: 'comparison', load: () => import('./pages/compare/page.tsx') },
  { path: 'review', name: 'review', icon: IconListCheck, load: () => import('./pages/review/page.tsx') },
  { path: 'review/confidence', name: 'confidence', load: () => import('./pages/confidence/page.tsx') },
  { path: 'agents', name: 'agents', icon: IconRobot, load: () => import('./pages/agents/page.tsx') },
  { path: 'agents/:agentId/:tab?', name: 'agent', load: () => import('./pages/agent/page.tsx') },
  { path: 'inbox/:view?/:id?', name: 'inbox', icon: IconInbox, load: () => import('./pages/inbox/page.tsx') },
  { path: 'webhooks', name: 'webhooks', icon: IconWebhook, load: () => import('./pages/webhooks/page.tsx') },
  { path: 'webhooks/signature', name: 'signature', load: () => import('./pages/signature/page.tsx') },
  { path: 'webhooks/:surface/:id', name: 'webhook', load: () => import('./pages/webhook/page.tsx') },
  { path: 'content', name: 'content', icon: IconWorld, load: () => import('./pages/content/page.tsx') },
  { path: 'content/:site/:kind?', name: 'site', load: () => import('./pages/content-site/page.tsx') },
  { path: 'content/:site/:kind/:id', name: 'site', load: () => import('./pages/content-record/page.tsx') },
  { path: 'content/:site/collections/:collection/items', name: 'site', load: loadItems },
  { path: 'content/:site/collections/:collection/items/:item', name: 'site', load: loadItems },
  { path: 'content/:site/forms/:form/submissions', name: 'site', load: () => import('./pages/content-submissions/page.tsx') },
  { path: 'settings/:part?', name: 'settings', icon: IconSettings, load: () => import('./pages/settings/page.tsx') },
];
