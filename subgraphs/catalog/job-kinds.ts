import { productEnrichment } from './enrichment/kind.ts';
import { aiImport } from './imports/kind.ts';
import { productImport } from './imports/product-import.ts';
import { registerKinds } from './jobs/job-kind.ts';
import { brandEnrichment, categoryEnrichment } from './labels/kind.ts';
import { productMarketAnalysis } from './market/kind.ts';
import { productEdit } from './product-edits/service.ts';
import { productExport } from './product-exports/export-file.ts';
import { productValidation } from './validation/kind.ts';

// All job kinds. A new one needs a folder, a line here and a value in `schema/enums.ts`.
registerKinds({
  'product-enrichment': productEnrichment,
  'brand-enrichment': brandEnrichment,
  'product-category-enrichment': categoryEnrichment,
  'product-validation': productValidation,
  'product-market-analysis': productMarketAnalysis,
  'ai-import': aiImport,
  'product-import': productImport,
  'product-edit': productEdit,
  'product-export': productExport,
});
