import { type Table, table } from '../route.ts';
import { jobTable, outOfCredits, spending } from '../routes/product-jobs.ts';
import { catalog } from '../surfaces.ts';
import { nameTools } from './name-tools.ts';

const organization = 'acme';
const id = '0199a000-0000-7000-8000-000000000001';
const column = 'column field attributeId unit decimalMark isIgnored';
const columns = [
  { column: 'Artikelnummer', field: 'sku' },
  { column: 'Bezeichnung', field: 'name' },
  { column: 'Gewicht', attributeId: id, unit: 'g', decimalMark: 'comma' },
];
const unknown = { NOT_FOUND: 'File not found' };

/** REST callers poll or receive a webhook. */
const progress = table(catalog, {
  'GET /jobs/{job_id}/progress': {
    summary: 'Wait until a job ends',
    description:
      'Returns its last state, also when the time to wait is over. With a progress token, it reports the number of processed items.',
    toolName: 'wait_for_job',
    graphql: `subscription ($job_id: ID!) {
      jobProgress(id: $job_id) {
        status processedCount successCount failedCount at job { id kind totalCount errorSummary }
      }
    }`,
    stream: { result: { progress: { done: 'processedCount', total: 'job.totalCount' } } },
    example: { params: { organization, job_id: id } },
    errors: { NOT_FOUND: 'Job not found' },
  },
});

/** The documented REST import knows no mapping of columns. */
const mapping = jobTable({
  'POST /import-mappings/propose': {
    summary: 'Propose the use of each column of uploaded tables',
    description:
      'Reads the first rows of CSV, XLSX and XLS files from `upload_files`, and shows each column with samples, its proposed use and the reason, and the rows as an import would read them. Give `mapping` to try other uses. Starts nothing and costs nothing.',
    toolName: 'propose_import_mapping',
    graphql: `query ($uploadedFileIds: [ID!]!, $mapping: [ImportTableMapping!]) {
      proposeImportMapping(uploadedFileIds: $uploadedFileIds, mapping: $mapping) {
        fileId file sheet pages saved { id supplier }
        columns {
          column field attribute { id slug name type unit } newAttribute { name slug type unit } unit decimalMark detectedUnit detectedDecimalMark isIgnored reason
          samples
        }
        rows {
          row data { sku name brand category manufacturer mpn uom externalId } parent
          values { slug column cell value } source { column cell } questions { column cell text readings }
        }
      }
    }`,
    example: { params: { organization }, body: { uploadedFileIds: [id] } },
    errors: unknown,
  },
  'POST /import-mappings/ask': {
    summary: 'Ask a model about the columns of an uploaded file',
    description:
      'Like `propose_import_mapping` for one file, where a model says what the columns contain that nothing else matched. Costs 1 credit.',
    toolName: 'ask_import_mapping',
    graphql: `mutation ($uploadedFileId: ID!) {
      askImportMapping(uploadedFileId: $uploadedFileId) {
        fileId file sheet columns {
          column field attribute { id slug name type unit } newAttribute { name slug type unit } unit decimalMark isIgnored reason samples
        }
      }
    }`,
    example: { params: { organization }, body: { uploadedFileId: id } },
    requires: spending,
    errors: { ...unknown, ...outOfCredits },
  },
  'POST /import-mappings/import': {
    summary: 'Start an import of tables whose columns are mapped',
    description:
      'Mapped tables are read without a model, at no charge; other tables of the files are read with one. A mapping needs a column for `sku` or `name`; columns that it does not name stay with the product as its source. Then call `wait_for_job`, read `list_import_items`, and import them with `create_product_import_job`.',
    toolName: 'import_with_mapping',
    graphql: `mutation (
      $uploadedFileIds: [ID!]!, $importMapping: [ImportTableMapping!]!, $modelType: ModelType = "pro-v1", $prompt: String
    ) {
      createAiImportJob(
        input: { uploadedFileIds: $uploadedFileIds, modelType: $modelType, prompt: $prompt }, importMapping: $importMapping
      ) { jobId: id status totalFiles modelType createdAt }
    }`,
    example: {
      params: { organization },
      body: { uploadedFileIds: [id], importMapping: [{ fileId: id, sheet: 'CSV', columns }] },
    },
    // An import of mapped tables alone needs no credits, so the gate of paid jobs would be wrong.
    errors: { ...unknown, ...outOfCredits },
  },
  'POST /import-mappings/products': {
    summary: 'Start a job that imports extracted items into the catalog',
    description:
      'Does the same as `finalize_ai_import_job` with progress, for imports of any size. `mode` is `create`, `update` or `both`. It costs nothing.',
    toolName: 'create_product_import_job',
    graphql: `mutation (
      $job_id: ID!, $all: Boolean, $itemIds: [ID!], $excludedIds: [ID!], $mode: ImportMode = create, $matchBy: ImportMatch = sku,
      $emptyCells: EmptyCells = leave, $overwrite: OverwriteMode = unreviewed
    ) {
      createProductImportJob(
        jobId: $job_id, all: $all, itemIds: $itemIds, excludedIds: $excludedIds, mode: $mode, matchBy: $matchBy, emptyCells: $emptyCells
        overwrite: $overwrite
      ) { jobId: id status createdAt }
    }`,
    example: { params: { organization }, body: { job_id: id, all: true, mode: 'both' } },
    errors: { NOT_FOUND: 'Job not found' },
  },
});

/** Saving a mapping can create attributes, and starts no job. */
const savedMappings = table(catalog, {
  'POST /import-mappings/list': {
    summary: 'List saved mappings of columns',
    toolName: 'list_import_mappings',
    graphql: `query ($limit: Int = 50, $after: String) {
      importMappings(limit: $limit, after: $after) { mappings: nodes { id supplier columns { ${column} } savedAt } endCursor }
    }`,
    example: { params: { organization }, body: { limit: 50 } },
  },
  'POST /import-mappings/save': {
    summary: 'Save a mapping of columns for a supplier',
    description:
      'It is proposed again for files with the same columns in any order. Replaces the mapping of the supplier for the same columns.',
    toolName: 'save_import_mapping',
    graphql: `mutation ($input: NewImportMapping!) { saveImportMapping(input: $input) { id supplier columns { ${column} } savedAt } }`,
    example: { params: { organization }, body: { supplier: 'Norrvik', columns } },
    errors: { NOT_FOUND: 'Attribute not found' },
  },
  'DELETE /import-mappings/{mapping_id}': {
    summary: 'Delete a saved mapping of columns',
    toolName: 'delete_import_mapping',
    graphql: `mutation ($mapping_id: ID!) { deleteImportMapping(id: $mapping_id) { id deleted } }`,
    example: { params: { organization, mapping_id: id } },
    errors: { NOT_FOUND: 'Import mapping not found' },
  },
});

/** Tools without a REST endpoint. */
export const graphTools: Table[] = [progress, mapping, savedMappings, ...nameTools];
