import type { Table } from '../route.ts';
import { agentChat } from './agent-chat.ts';
import { agents } from './agents.ts';
import { aiImportJobs } from './ai-import-jobs.ts';
import { attributeSets } from './attribute-sets.ts';
import { cron } from './cron.ts';
import { enrichmentFiles } from './enrichment-files.ts';
import { integration } from './integration.ts';
import { brandEnrichmentJobs, brands, categories, productCategoryJobs } from './labels.ts';
import { organizations } from './organizations.ts';
import { productEnrichmentJobs } from './product-enrichment-jobs.ts';
import { productMarketAnalysisJobs } from './product-market-analysis-jobs.ts';
import { productValidationJobs } from './product-validation-jobs.ts';
import { products } from './products.ts';
import { secrets } from './secrets.ts';
import { site } from './site.ts';
import { siteBlog, siteCollections } from './site-collections.ts';
import { sitePages } from './site-pages.ts';
import { siteWebhookSecrets, siteWebhooks } from './site-webhooks.ts';
import { sources } from './sources.ts';
import { tools } from './tools.ts';
import { webhooks } from './webhooks.ts';
import { widget } from './widget.ts';

/** Every documented REST endpoint. */
export const restTables: Table[] = [
  agentChat,
  agents,
  aiImportJobs,
  attributeSets,
  brandEnrichmentJobs,
  brands,
  categories,
  cron,
  enrichmentFiles,
  integration,
  organizations,
  productCategoryJobs,
  productEnrichmentJobs,
  productMarketAnalysisJobs,
  productValidationJobs,
  products,
  secrets,
  site,
  siteBlog,
  siteCollections,
  sitePages,
  siteWebhooks,
  siteWebhookSecrets,
  sources,
  tools,
  webhooks,
  widget,
];
