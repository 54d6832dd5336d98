import type { Tables } from '../../platform/database/index.ts';
import { AcceptanceRule, AcceptanceSettings } from './acceptance/entity.ts';
import { Attribute, AttributeSet, AttributeSetAttribute } from './attributes/entity.ts';
import { CatalogChange, ChangeCounter } from './changes/feed.ts';
import { GapRule } from './gap-rules/entity.ts';
import { ImportItem, ImportNote } from './imports/entity.ts';
import { ImportMapping } from './imports/mapping-types.ts';
import { Job, JobChange, JobItem } from './jobs/entity.ts';
import { Brand, Category, LabelMove, LabelSummary } from './labels/entity.ts';
import { LabelValue } from './labels/label-values.ts';
import { OrganizationChangeRow } from './live/update-log.ts';
import { CatalogBaseline } from './migrations/0001-baseline.ts';
import { ProductEditPage, ProductEditResult } from './product-edits/entity.ts';
import { ProductView } from './product-views/resolver.ts';
import { Product, RestorableProduct } from './products/entity.ts';
import { EnrichmentHistoryEntry, ValidationHistoryEntry } from './products/history.ts';
import { ProductImage } from './products/images.ts';
import { ProductCount, ProductVersion } from './products/product-counts.ts';
import { Proposal } from './review/entity.ts';
import { Counter } from './stats/entity.ts';
import { UploadedFile } from './uploads/entity.ts';

/** The entities and migrations of the catalog. */
export const catalogTables: Tables = {
  entities: [
    AcceptanceRule,
    AcceptanceSettings,
    Attribute,
    AttributeSet,
    AttributeSetAttribute,
    Brand,
    CatalogChange,
    Category,
    ChangeCounter,
    Counter,
    EnrichmentHistoryEntry,
    GapRule,
    ImportItem,
    ImportMapping,
    ImportNote,
    Job,
    JobChange,
    JobItem,
    LabelMove,
    LabelSummary,
    LabelValue,
    OrganizationChangeRow,
    Product,
    ProductCount,
    ProductEditPage,
    ProductEditResult,
    ProductImage,
    ProductVersion,
    ProductView,
    Proposal,
    RestorableProduct,
    UploadedFile,
    ValidationHistoryEntry,
  ],
  migrations: [{ name: 'catalog-0001', class: CatalogBaseline }],
};
