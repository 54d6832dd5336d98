import { type Key, type Row, type Table, table } from '../route.ts';
import { jobTable, outOfCredits, spending } from '../routes/product-jobs.ts';
import { catalog } from '../surfaces.ts';

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

const other = '0199a000-0000-7000-8000-000000000002';

const kinds = [
  { one: 'brand', many: 'brands', Type: 'Brand', fields: 'id name productCount', path: '' },
  {
    ...{ one: 'category', many: 'categories', Type: 'Category', fields: 'id name productCount totalCount' },
    path: ' The name is a path such as `Furniture > Chairs`, and the categories below move along.',
  },
] as const;

/** The REST API can only create and check brands and categories. */
const rowsOf = ({ one, many, Type, fields, path }: (typeof kinds)[number]): Record<Key, Row> => {
  const moving = `${fields} move { fromName toName total moved }`;
  const missing = { NOT_FOUND: `${Type} not found` };
  const level =
    one === 'category' ? ['$parentId: ID, $isTop: Boolean = false, ', 'parentId: $parentId, isTop: $isTop, '] : ['', ''];
  return {
    [`POST /${many}/list`]: {
      summary: `List ${many} with their numbers of products`,
      description: `Includes ${many} that only products name.`,
      toolName: `list_${many}`,
      graphql: `query (${level[0]}$page: Int = 1, $limit: Int = 20, $search: String = "", $sortBy: LabelSort = name, $sortOrder: SortOrder = asc) {
        ${many}(${level[1]}page: $page, limit: $limit, search: $search, sortBy: $sortBy, sortOrder: $sortOrder) {
          ${many}: nodes { ${moving} ${one} { id slug } } pagination { page limit total totalPages }
        }
      }`,
      example: { params: { organization }, body: { search: 'b' } },
    },
    [`POST /${many}/{${one}_id}/values`]: {
      summary: `Read the values of a ${one}`,
      toolName: `get_${one}_values`,
      graphql: `query ($${one}_id: ID!) {
        ${one}(id: $${one}_id) { ${fields} values { slug attributeName value confidence sourceKind sourceUrl snippet at } }
      }`,
      example: { params: { organization, [`${one}_id`]: id } },
      errors: missing,
    },
    [`POST /${many}/{${one}_id}/rename`]: {
      summary: `Rename a ${one} and the text of its products`,
      description: `With many products, some follow in the background; \`move\` tells how many.${path}`,
      toolName: `rename_${one}`,
      graphql: `mutation ($${one}_id: ID!, $name: String!, $slug: String) { rename${Type}(id: $${one}_id, name: $name, slug: $slug) { ${moving} } }`,
      example: { params: { organization, [`${one}_id`]: id }, body: { name: 'Norrvik' } },
      errors: missing,
    },
    [`POST /${many}/{${one}_id}/merge-preview`]: {
      summary: `Show what a merge of two ${many} would move`,
      description: 'Changes nothing.',
      toolName: `preview_${one}_merge`,
      graphql: `query ($${one}_id: ID!, $intoId: ID!) {
        ${one}MergePreview(id: $${one}_id, intoId: $intoId) { fromName intoName products categories enrichments slug values }
      }`,
      example: { params: { organization, [`${one}_id`]: id }, body: { intoId: other } },
      errors: missing,
    },
    [`POST /${many}/{${one}_id}/merge`]: {
      summary: `Merge a ${one} into another`,
      description: `The other one keeps what it has. This cannot be undone, so read \`preview_${one}_merge\` first.`,
      toolName: `merge_${one}`,
      graphql: `mutation ($${one}_id: ID!, $intoId: ID!) { merge${Type}(id: $${one}_id, intoId: $intoId) { ${moving} } }`,
      example: { params: { organization, [`${one}_id`]: id }, body: { intoId: other } },
      errors: missing,
    },
    [`POST /${many}/{${one}_id}/enter-values`]: {
      summary: `Enter or remove values of a ${one}`,
      description: 'Entered values replace those of enrichments, also of later ones, until they are removed.',
      toolName: `update_${one}_values`,
      graphql: `mutation ($${one}_id: ID!, $attributes: AttributeValues = {}, $remove: [String!] = []) {
        update${Type}Values(id: $${one}_id, attributes: $attributes, remove: $remove) { ${fields} values { slug value at } }
      }`,
      example: {
        params: { organization, [`${one}_id`]: id },
        body: { attributes: { story: { attributeType: 'text', value: 'Since 1920.' } } },
      },
      errors: missing,
    },
    [`DELETE /${many}/{${one}_id}`]: {
      summary: `Delete a ${one} without products`,
      toolName: `delete_${one}`,
      graphql: `mutation ($${one}_id: ID!) { delete${Type}(id: $${one}_id) { id deleted } }`,
      example: { params: { organization, [`${one}_id`]: id } },
      errors: missing,
    },
  };
};

/** Tools that list, rename, merge and delete brands and categories, and read and enter their values. */
const nameTools: Table[] = kinds.map((kind) => table(catalog, rowsOf(kind)));

/** Tools without a REST endpoint. */
export const graphTools: Table[] = [progress, mapping, savedMappings, ...nameTools];
