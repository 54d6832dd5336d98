import { agents } from './agents.ts';
import { attributes, confidence, imports, newJob, products, review, sorting } from './catalog.ts';
import { content } from './content.ts';
import { figures } from './figures.ts';
import { gapRules } from './gap-rules.ts';
import { chat, inbox } from './inbox.ts';
import { labels } from './labels.ts';
import { mapping } from './mapping.ts';
import { officeHours } from './office-hours.ts';
import { productEdits } from './product-edits.ts';
import { productExports } from './product-exports.ts';
import { productGrid } from './product-grid.ts';
import { productViews } from './product-views.ts';
import { schema } from './schema.ts';
import { audit, credits, keys, settings, storage } from './settings.ts';
import { palette, sample } from './start.ts';
import { tests } from './tests.ts';
import { versions } from './versions.ts';
import { deliveries, webhooks } from './webhooks.ts';

/** Strings of all pages but the first ones. They load with the first page that needs them. */
export const onDemand = {
  agents,
  attributes,
  sorting,
  confidence,
  content,
  deliveries,
  figures,
  gapRules,
  palette,
  sample,
  imports,
  mapping,
  chat,
  inbox,
  labels,
  newJob,
  officeHours,
  productEdits,
  productGrid,
  productViews,
  productExports,
  products,
  review,
  schema,
  settings,
  storage,
  keys,
  credits,
  audit,
  tests,
  versions,
  webhooks,
};

export type OnDemandStrings = typeof onDemand;
