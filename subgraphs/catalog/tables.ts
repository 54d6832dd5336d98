import type { Tables } from '../../platform/database/index.ts';
import { Attribute, AttributeSet, AttributeSetAttribute } from './attributes/entity.ts';
import { Brand } from './brands/entity.ts';
import { Category } from './categories/entity.ts';
import { ImportItem } from './imports/entity.ts';
import { Job, JobChange } from './jobs/entity.ts';
import { JobItem } from './jobs/item-entity.ts';
import { LabelSummary } from './labels/summary-entity.ts';
import { OrganizationChange } from './live/entity.ts';
import { Catalog } from './migrations/0001-catalog.ts';
import { Validation } from './migrations/0002-validation.ts';
import { MarketAnalysis } from './migrations/0003-market-analysis.ts';
import { BrandsAndCategories } from './migrations/0004-brands-and-categories.ts';
import { UploadsAndImports } from './migrations/0005-uploads-and-imports.ts';
import { Review } from './migrations/0007-review.ts';
import { BucketsAndImportSearch } from './migrations/0008-buckets-and-import-search.ts';
import { FileHashes } from './migrations/0010-file-hashes.ts';
import { EvidenceLimits } from './migrations/0011-evidence-limits.ts';
import { ProductWords } from './migrations/0065-product-words.ts';
import { Links } from './migrations/0100-links.ts';
import { Filters } from './migrations/0101-filters.ts';
import { Counters } from './migrations/0102-counters.ts';
import { ReviewQueue } from './migrations/0103-review-queue.ts';
import { OrganizationChanges } from './migrations/0104-organization-changes.ts';
import { Examples } from './migrations/0115-examples.ts';
import { ConfidenceLabels } from './migrations/0116-confidence-labels.ts';
import { AuditedAttributeSets } from './migrations/0121-audited-attribute-sets.ts';
import { Agreement } from './migrations/0129-agreement.ts';
import { ValueShapes } from './migrations/0130-value-shapes.ts';
import { TenantSearch } from './migrations/0142-tenant-search.ts';
import { ProductVersions } from './migrations/0143-product-versions.ts';
import { ProductRuns } from './migrations/0144-product-runs.ts';
import { PauseReasons } from './migrations/0150-pause-reasons.ts';
import { ProposalCounters } from './migrations/0156-proposal-counters.ts';
import { FileUsage } from './migrations/0157-file-usage.ts';
import { FileUses } from './migrations/0158-file-uses.ts';
import { FileColumns } from './migrations/0163-file-columns.ts';
import { JobChangePartitions } from './migrations/0168-job-change-partitions.ts';
import { OrganizationChangePartitions } from './migrations/0169-organization-change-partitions.ts';
import { WatchedChanges } from './migrations/0170-watched-changes.ts';
import { BoundedReads } from './migrations/0176-bounded-reads.ts';
import { JobTotals } from './migrations/0178-job-totals.ts';
import { LongerProductRuns } from './migrations/0179-longer-product-runs.ts';
import { ProposalsOfDeletedProducts } from './migrations/0186-proposals-of-deleted-products.ts';
import { ReplacedProposals } from './migrations/0187-replaced-proposals.ts';
import { ItemsOfParents } from './migrations/0200-items-of-parents.ts';
import { BytesOfCatalog } from './migrations/0205-bytes-of-catalog.ts';
import { EndedJobs } from './migrations/0220-ended-jobs.ts';
import { Variants } from './migrations/0221-variants.ts';
import { PlansOfTriggers } from './migrations/0241-plans-of-triggers.ts';
import { ProductCount } from './products/counts.ts';
import { Product } from './products/entity.ts';
import { EnrichmentHistoryEntry, ValidationHistoryEntry } from './products/history.ts';
import { ProductImage } from './products/images.ts';
import { ProductVersion } from './products/versions.ts';
import { Proposal } from './review/entity.ts';
import { Counter } from './stats/entity.ts';
import { UploadedFile } from './uploads/entity.ts';

/** The entities and migrations of the catalog. */
export const catalogTables: Tables = {
  entities: [
    Attribute,
    AttributeSet,
    AttributeSetAttribute,
    Brand,
    Category,
    Counter,
    EnrichmentHistoryEntry,
    ImportItem,
    Job,
    JobChange,
    JobItem,
    LabelSummary,
    OrganizationChange,
    Product,
    ProductCount,
    ProductImage,
    ProductVersion,
    Proposal,
    UploadedFile,
    ValidationHistoryEntry,
  ],
  migrations: [
    { name: 'catalog-0001', class: Catalog },
    { name: 'catalog-0002', class: Validation },
    { name: 'catalog-0003', class: MarketAnalysis },
    { name: 'catalog-0004', class: BrandsAndCategories },
    { name: 'catalog-0005', class: UploadsAndImports },
    { name: 'catalog-0007', class: Review },
    { name: 'catalog-0008', class: BucketsAndImportSearch },
    { name: 'catalog-0010', class: FileHashes },
    { name: 'catalog-0011', class: EvidenceLimits },
    { name: 'catalog-0065', class: ProductWords },
    { name: 'catalog-0100', class: Links },
    { name: 'catalog-0101', class: Filters },
    { name: 'catalog-0102', class: Counters },
    { name: 'catalog-0103', class: ReviewQueue },
    { name: 'catalog-0104', class: OrganizationChanges },
    { name: 'catalog-0115', class: Examples },
    { name: 'catalog-0116', class: ConfidenceLabels },
    { name: 'catalog-0121', class: AuditedAttributeSets },
    { name: 'catalog-0129', class: Agreement },
    { name: 'catalog-0130', class: ValueShapes },
    { name: 'catalog-0142', class: TenantSearch },
    { name: 'catalog-0143', class: ProductVersions },
    { name: 'catalog-0144', class: ProductRuns },
    { name: 'catalog-0150', class: PauseReasons },
    { name: 'catalog-0156', class: ProposalCounters },
    { name: 'catalog-0157', class: FileUsage },
    { name: 'catalog-0158', class: FileUses },
    { name: 'catalog-0163', class: FileColumns },
    { name: 'catalog-0168', class: JobChangePartitions },
    { name: 'catalog-0169', class: OrganizationChangePartitions },
    { name: 'catalog-0170', class: WatchedChanges },
    { name: 'catalog-0176', class: BoundedReads },
    { name: 'catalog-0178', class: JobTotals },
    { name: 'catalog-0179', class: LongerProductRuns },
    { name: 'catalog-0186', class: ProposalsOfDeletedProducts },
    { name: 'catalog-0187', class: ReplacedProposals },
    { name: 'catalog-0200', class: ItemsOfParents },
    { name: 'catalog-0205', class: BytesOfCatalog },
    { name: 'catalog-0220', class: EndedJobs },
    { name: 'catalog-0221', class: Variants },
    { name: 'catalog-0241', class: PlansOfTriggers },
  ],
};
