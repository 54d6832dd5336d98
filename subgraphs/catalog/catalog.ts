import type { Tables } from '../common/database.ts';
import type { SubgraphParts } from '../common/subgraph.ts';
import { Attribute, AttributeSet, AttributeSetAttribute } from './attributes/entity.ts';
import { AttributeSetAttributeResolver, AttributeSetResolver } from './attributes/resolver.ts';
import { Job, JobChange, JobItem } from './jobs/entity.ts';
import { JobItemResolver, JobResolver, JobUpdateResolver } from './jobs/resolver.ts';
import { Catalog } from './migrations/0001-catalog.ts';
import { AdmissionResolver } from './organizations/admission.ts';
import { KeyResolver } from './organizations/keys-resolver.ts';
import { OrganizationResolver, UserResolver } from './organizations/resolver.ts';
import * as organizations from './organizations/service.ts';
import { ProductCount } from './products/counts.ts';
import { Product } from './products/entity.ts';
import { EnrichmentHistoryEntry, ProductHistoryResolver, ValidationHistoryEntry } from './products/history.ts';
import { ProductImage, ProductImageResolver } from './products/images.ts';
import { OrganizationProductsResolver, ProductResolver } from './products/resolver.ts';

/** The tables of the catalog, oldest migration first. */
export const catalogTables: Tables = {
  entities: [
    Attribute,
    AttributeSet,
    AttributeSetAttribute,
    EnrichmentHistoryEntry,
    Job,
    JobChange,
    JobItem,
    Product,
    ProductCount,
    ProductImage,
    ValidationHistoryEntry,
  ],
  migrations: [{ name: 'catalog-0001', class: Catalog }],
};

export const catalog: SubgraphParts = {
  name: 'catalog',
  resolvers: [
    AdmissionResolver,
    AttributeSetAttributeResolver,
    AttributeSetResolver,
    JobItemResolver,
    JobResolver,
    JobUpdateResolver,
    KeyResolver,
    OrganizationProductsResolver,
    OrganizationResolver,
    ProductHistoryResolver,
    ProductImageResolver,
    ProductResolver,
    UserResolver,
  ],
  references: {
    Organization: ({ id }, scope) => organizations.findOrganization(scope, id),
    Product: ({ id }, scope) => scope.load(Product, id),
    Job: ({ id }, scope) => scope.load(Job, id),
    JobItem: ({ id }, scope) => scope.load(JobItem, id),
  },
};
