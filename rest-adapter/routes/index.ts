import type { Table } from '../route.ts';
import { agentChat, agents, secrets, sources } from './agents.ts';
import { aiImportJobs, enrichmentFiles } from './ai-import-jobs.ts';
import { integration } from './integration.ts';
import { brandEnrichmentJobs, brands, categories, productCategoryJobs } from './labels.ts';
import { organizations } from './organizations.ts';
import { productEnrichmentJobs, productMarketAnalysisJobs, productValidationJobs } from './product-jobs.ts';
import { attributeSets, productExports, products } from './products.ts';
import { site, siteBlog, siteCollections, sitePages } from './site.ts';
import { siteWebhookSecrets, siteWebhooks } from './site-webhooks.ts';
import { tools } from './tools.ts';
import { cron, webhooks } from './webhooks.ts';
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
  productExports,
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
