import type { Tables } from '../common/database.ts';
import type { SubgraphParts } from '../common/subgraph.ts';
import { Attribute, AttributeSet, AttributeSetAttribute } from './attributes/entity.ts';
import { AttributeSetAttributeResolver, AttributeSetResolver } from './attributes/resolver.ts';
import { Brand } from './brands/entity.ts';
import { BrandResolver } from './brands/resolver.ts';
import { Category } from './categories/entity.ts';
import { CategoryResolver } from './categories/resolver.ts';
import { Job, JobChange, JobItem } from './jobs/entity.ts';
import { JobItemResolver, JobResolver, JobUpdateResolver } from './jobs/resolver.ts';
import { EnrichmentFileResolver } from './labels/resolver.ts';
import { Catalog } from './migrations/0001-catalog.ts';
import { BrandsAndCategories } from './migrations/0004-brands-and-categories.ts';
import { Review } from './migrations/0007-review.ts';
import { AdmissionResolver } from './organizations/admission.ts';
import { KeyResolver } from './organizations/keys-resolver.ts';
import { OrganizationResolver, UserResolver } from './organizations/resolver.ts';
import * as organizations from './organizations/service.ts';
import { ProductCount } from './products/counts.ts';
import { Product } from './products/entity.ts';
import { EnrichmentHistoryEntry, ProductHistoryResolver, ValidationHistoryEntry } from './products/history.ts';
import { ProductImage, ProductImageResolver } from './products/images.ts';
import { OrganizationProductsResolver, ProductResolver } from './products/resolver.ts';
import { WebhookDeliveryResolver, WebhookResolver } from './webhooks/resolver.ts';

/** The tables of the catalog, oldest migration first. */
export const catalogTables: Tables = {
  entities: [
    Attribute,
    AttributeSet,
    AttributeSetAttribute,
    Brand,
    Category,
    EnrichmentHistoryEntry,
    Job,
    JobChange,
    JobItem,
    Product,
    ProductCount,
    ProductImage,
    ValidationHistoryEntry,
  ],
  migrations: [
    { name: 'catalog-0001', class: Catalog },
    { name: 'catalog-0004', class: BrandsAndCategories },
    { name: 'catalog-0007', class: Review },
  ],
};

export const catalog: SubgraphParts = {
  name: 'catalog',
  resolvers: [
    AdmissionResolver,
    AttributeSetAttributeResolver,
    AttributeSetResolver,
    BrandResolver,
    CategoryResolver,
    EnrichmentFileResolver,
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
    WebhookDeliveryResolver,
    WebhookResolver,
  ],
  references: {
    Organization: ({ id }, scope) => organizations.findOrganization(scope, id),
    Product: ({ id }, scope) => scope.load(Product, id),
    Job: ({ id }, scope) => scope.load(Job, id),
    JobItem: ({ id }, scope) => scope.load(JobItem, id),
  },
};
