import { CountedBytes, json, list, text } from '../../../platform/migrations/counted-bytes.ts';

/** Counts products and their history, and the input and results of jobs. Items that fail are never refused. */
export class BytesOfCatalog extends CountedBytes {
  protected readonly tables = [
    {
      table: 'catalog.products',
      bytes: `500 + ${text('name', 'manufacturer', 'category', 'external_id')} + ${list('user_provided_raw_data_sources')}
        + ${json('attributes', 'provenance')}`,
      updates: 'true',
    },
    { table: 'catalog.enrichment_history', bytes: `200 + ${json('attributes', 'provenance')}` },
    { table: 'catalog.validation_history', bytes: '150' },
    {
      table: 'catalog.job_items',
      bytes: `300 + ${text('label', 'input_data::text')} + ${json('enriched_data', 'provenance', 'validation_results', 'results', 'reference_data')}`,
      updates: `r.status = 'completed'`,
    },
    { table: 'catalog.import_items', bytes: `300 + ${json('data')}` },
    { table: 'catalog.proposals', bytes: `200 + ${json('proposed', 'base', 'base_provenance')}` },
    {
      table: 'catalog.attributes',
      bytes: `300 + ${text('prompt', 'category_prompt')} + ${list('options')} + ${list('examples')}
        + ${json('constraints')}`,
      updates: 'true',
    },
    { table: 'catalog.brands', bytes: '150' },
    { table: 'catalog.categories', bytes: '150' },
  ] as const;
}
