import type { Table } from '../rest-adapter/route.ts';
import { agentChat } from '../rest-adapter/routes/agent-chat.ts';
import { agents } from '../rest-adapter/routes/agents.ts';
import { aiImportJobs } from '../rest-adapter/routes/ai-import-jobs.ts';
import { attributeSets } from '../rest-adapter/routes/attribute-sets.ts';
import { cron } from '../rest-adapter/routes/cron.ts';
import { enrichmentFiles } from '../rest-adapter/routes/enrichment-files.ts';
import { integration } from '../rest-adapter/routes/integration.ts';
import { brandEnrichmentJobs, brands, categories, productCategoryJobs } from '../rest-adapter/routes/labels.ts';
import { organizations } from '../rest-adapter/routes/organizations.ts';
import { productEnrichmentJobs } from '../rest-adapter/routes/product-enrichment-jobs.ts';
import { productMarketAnalysisJobs } from '../rest-adapter/routes/product-market-analysis-jobs.ts';
import { productValidationJobs } from '../rest-adapter/routes/product-validation-jobs.ts';
import { products } from '../rest-adapter/routes/products.ts';
import { secrets } from '../rest-adapter/routes/secrets.ts';
import { site } from '../rest-adapter/routes/site.ts';
import { siteBlog, siteCollections } from '../rest-adapter/routes/site-collections.ts';
import { sitePages } from '../rest-adapter/routes/site-pages.ts';
import { siteWebhookSecrets, siteWebhooks } from '../rest-adapter/routes/site-webhooks.ts';
import { sources } from '../rest-adapter/routes/sources.ts';
import { tools } from '../rest-adapter/routes/tools.ts';
import { webhooks } from '../rest-adapter/routes/webhooks.ts';
import { widget } from '../rest-adapter/routes/widget.ts';
import { agent, agentTables } from '../subgraphs/agent/agent.ts';
import { catalog, catalogTables } from '../subgraphs/catalog/catalog.ts';
import type { Tables } from '../subgraphs/common/database.ts';
import { identityTables } from '../subgraphs/common/identity/tables.ts';
import type { SubgraphParts } from '../subgraphs/common/subgraph.ts';
import { webhookTables } from '../subgraphs/common/webhooks/tables.ts';
import { siteContent, siteContentTables } from '../subgraphs/site-content/site-content.ts';
import { ownSubgraphs } from './own-subgraphs.ts';

/** The subgraphs of the product, each with the variable that moves it to a separate process. */
export const subgraphs: { parts: SubgraphParts; url: (typeof ownSubgraphs)[keyof typeof ownSubgraphs] }[] = [
  { parts: catalog, url: ownSubgraphs.catalog },
  { parts: agent, url: ownSubgraphs.agent },
  { parts: siteContent, url: ownSubgraphs['site-content'] },
];

/** Every database table, in creation order. */
export const tables: Tables[] = [identityTables, webhookTables, catalogTables, agentTables, siteContentTables];

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
