import type { Tables } from '../platform/database/database.ts';
import { identityTables } from '../platform/identity/tables.ts';
import { mailTables } from '../platform/mail/tables.ts';
import type { SubgraphParts } from '../platform/subgraph/build-subgraph.ts';
import { usageTables } from '../platform/usage/tables.ts';
import { webhookTables } from '../platform/webhooks/tables.ts';
import { agent } from '../subgraphs/agent/agent.ts';
import { agentTables } from '../subgraphs/agent/tables.ts';
import { catalog } from '../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../subgraphs/catalog/tables.ts';
import { siteContent } from '../subgraphs/site-content/site-content.ts';
import { siteContentTables } from '../subgraphs/site-content/tables.ts';
import { ownSubgraphs } from './gateway/supergraph.ts';

/** The subgraphs of the product, each with the variable that moves it to a separate process. */
export const subgraphs: { parts: SubgraphParts; url: (typeof ownSubgraphs)[keyof typeof ownSubgraphs] }[] = [
  { parts: catalog, url: ownSubgraphs.catalog },
  { parts: agent, url: ownSubgraphs.agent },
  { parts: siteContent, url: ownSubgraphs['site-content'] },
];

/** Every database table, in creation order. */
export const tables: Tables[] = [
  identityTables,
  webhookTables,
  mailTables,
  usageTables,
  catalogTables,
  agentTables,
  siteContentTables,
];
