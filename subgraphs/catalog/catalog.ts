import type { SubgraphParts } from '../../platform/subgraph/index.ts';
import { AcceptanceResolver } from './acceptance/resolver.ts';
import { AttributeSetAttributeResolver, AttributeSetResolver, AttributeTemplateResolver } from './attributes/resolver.ts';
import { AuditResolver } from './audit/resolver.ts';
import { CatalogChangesResolver } from './changes/feed.ts';
import {
  CatalogCompletenessResolver,
  CategoryCompletenessResolver,
  MissingAttributesResolver,
  ProductCompletenessResolver,
  SetCategoriesResolver,
} from './completeness/resolver.ts';
import { EnrichmentResolver, ProvenanceResolver } from './enrichment/kind.ts';
import { GapRuleResolver, GapRunResolver } from './gap-rules/resolver.ts';
import { ImportMappingResolver } from './imports/mapping-resolver.ts';
import { ImportResolver, ProductImportResolver } from './imports/resolver.ts';
import { CreditEntryLinksResolver, JobLinksResolver, JobOfItemResolver, ProductJobsResolver } from './job-links/resolver.ts';
import { Job, JobItem } from './jobs/entity.ts';
import { JobItemResolver, JobResolver, JobUpdateResolver } from './jobs/resolver.ts';
import { BrandResolver, CategoryResolver, EnrichmentFileResolver } from './labels/service.ts';

// Registers the kinds of jobs. The order of the imports is that of the fields in the emitted schema.
import './job-kinds.ts';
import { ConfidenceReportResolver } from './calibration/calibrate.ts';
import { BrandChangeResolver, CategoryChangeResolver } from './labels/change-resolver.ts';
import {
  BrandOfSummaryResolver,
  BrandRecordResolver,
  BrandSummaryResolver,
  CategoryOfSummaryResolver,
  CategoryRecordResolver,
  CategorySummaryResolver,
  ProductLabelsResolver,
} from './labels/summary-resolver.ts';
import { OrganizationUpdateResolver } from './live/update-log.ts';
import { AnalyzedItemResolver, AnalyzedProductResolver, MarketAnalysisResolver } from './market/kind.ts';
import { AccountResolver, AdmissionResolver, InvitationResolver } from './organizations/accounts-resolver.ts';
import * as organizations from './organizations/service.ts';
import { KeyResolver, OrganizationResolver, UserResolver } from './organizations/service.ts';
import { ProductEditResolver, ProductEditResultResolver, ProductEditStateResolver } from './product-edits/resolver.ts';
import { ProductExportResolver } from './product-exports/resolver.ts';
import { ProductViewResolver } from './product-views/resolver.ts';
import { Product } from './products/entity.ts';
import { EnrichmentHistoryResolver, HistoryOfProductResolver, ProductHistoryResolver } from './products/history.ts';
import { ImageContentResolver, ProductImageResolver } from './products/images.ts';
import { RestorableProductResolver } from './products/product-deletion.ts';
import { JobItemProductResolver, OrganizationProductsResolver, ProductResolver } from './products/resolver.ts';
import { UpsertResolver } from './products/upsert.ts';
import { ReviewResolver, ReviewResultResolver } from './review/resolver.ts';
import { SessionResolver, SignInResolver } from './sessions/resolver.ts';
import { CatalogStatsResolver, CreditUsageResolver, FirstStepsResolver, StatsResolver } from './stats/service.ts';
import { UploadedFileResolver, UploadResolver } from './uploads/service.ts';
import {
  FieldUsageResolver,
  OperationUsageResolver,
  PublishedSchemaResolver,
  SchemaDiffResolver,
  SchemaVersionResolver,
  UsageRecordingResolver,
} from './usage/resolver.ts';
import { ValidatedItemResolver, ValidationResolver } from './validation/kind.ts';
import { CellReadingResolver, ListedValuesResolver, ProductValuesResolver, StoredValueResolver } from './values/resolver.ts';
import { ValueHistoryResolver } from './values/value-history.ts';
import { WebhookResolver, webhookDeliveryResolvers } from './webhooks/resolver.ts';

export const catalog: SubgraphParts = {
  name: 'catalog',
  resolvers: [
    AcceptanceResolver,
    AttributeTemplateResolver,
    AttributeSetResolver,
    AttributeSetAttributeResolver,
    AuditResolver,
    BrandResolver,
    CategoryResolver,
    CatalogChangesResolver,
    CatalogCompletenessResolver,
    CategoryCompletenessResolver,
    SetCategoriesResolver,
    ProductCompletenessResolver,
    MissingAttributesResolver,
    ProvenanceResolver,
    EnrichmentResolver,
    GapRuleResolver,
    GapRunResolver,
    ImportMappingResolver,
    ImportResolver,
    ProductImportResolver,
    JobLinksResolver,
    JobOfItemResolver,
    ProductJobsResolver,
    CreditEntryLinksResolver,
    JobResolver,
    JobItemResolver,
    JobUpdateResolver,
    ConfidenceReportResolver,
    BrandChangeResolver,
    CategoryChangeResolver,
    EnrichmentFileResolver,
    BrandSummaryResolver,
    CategorySummaryResolver,
    BrandOfSummaryResolver,
    CategoryOfSummaryResolver,
    BrandRecordResolver,
    CategoryRecordResolver,
    ProductLabelsResolver,
    OrganizationUpdateResolver,
    MarketAnalysisResolver,
    AnalyzedItemResolver,
    AnalyzedProductResolver,
    AccountResolver,
    AdmissionResolver,
    InvitationResolver,
    KeyResolver,
    OrganizationResolver,
    UserResolver,
    ProductEditResolver,
    ProductEditStateResolver,
    ProductEditResultResolver,
    ProductExportResolver,
    ProductViewResolver,
    EnrichmentHistoryResolver,
    HistoryOfProductResolver,
    ProductHistoryResolver,
    ProductImageResolver,
    ImageContentResolver,
    ProductResolver,
    JobItemProductResolver,
    OrganizationProductsResolver,
    RestorableProductResolver,
    UpsertResolver,
    ReviewResolver,
    ReviewResultResolver,
    SessionResolver,
    SignInResolver,
    FirstStepsResolver,
    CatalogStatsResolver,
    CreditUsageResolver,
    StatsResolver,
    UploadedFileResolver,
    UploadResolver,
    FieldUsageResolver,
    OperationUsageResolver,
    SchemaVersionResolver,
    PublishedSchemaResolver,
    SchemaDiffResolver,
    UsageRecordingResolver,
    ValidationResolver,
    ValidatedItemResolver,
    CellReadingResolver,
    ListedValuesResolver,
    StoredValueResolver,
    ProductValuesResolver,
    ValueHistoryResolver,
    ...webhookDeliveryResolvers,
    WebhookResolver,
  ],
  references: {
    Organization: ({ id }, scope) => organizations.findOrganization(scope, id),
    Product: ({ id }, scope) => scope.load(Product, id),
    Job: ({ id }, scope) => scope.load(Job, id),
    JobItem: ({ id }, scope) => scope.load(JobItem, id),
  },
};
