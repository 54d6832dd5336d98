import { type Table } from '../rest-adapter/route.ts';
import { attributeSets } from '../rest-adapter/routes/attribute-sets.ts';
import { organizations } from '../rest-adapter/routes/organizations.ts';
import { productEnrichmentJobs } from '../rest-adapter/routes/product-enrichment-jobs.ts';
import { products } from '../rest-adapter/routes/products.ts';
import { catalog, catalogTables } from '../subgraphs/catalog/catalog.ts';
import { identityTables } from '../subgraphs/common/identity/tables.ts';
import type { Tables } from '../subgraphs/common/database.ts';
import type { SubgraphParts } from '../subgraphs/common/subgraph.ts';

/** The subgraphs of the product, and the variable that puts each into a process of its own. */
export const subgraphs = [{ parts: catalog, url: 'CATALOG_URL' }] as const satisfies {
  parts: SubgraphParts;
  url: 'CATALOG_URL' | 'AGENT_URL' | 'SITE_CONTENT_URL';
}[];

/** Every table of the database, in the order they are made. */
export const tables: Tables[] = [identityTables, catalogTables];

/** Every documented endpoint. */
export const restTables: Table[] = [attributeSets, organizations, productEnrichmentJobs, products];
