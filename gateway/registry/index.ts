/** Keeps what gateways counted, and the schemas that people published, in a schema of PostgreSQL. Stores no values of variables. */
export type { Counted, Slice } from './counted-rows.ts';
export {
  addPublished,
  listPublished,
  type Publication,
  type PublishedSchema,
  readPublished,
} from './published-schemas.ts';
export { recordedOperations } from './recorded-operations.ts';
export { type OpenRegistry, openRegistry, type Registry, registryIn } from './registry-database.ts';
export { DEFAULT_SCHEMA, registryTables } from './registry-tables.ts';
export { diffPublished, type SchemaDiff } from './schema-diff.ts';
export { listSchemas, recordSchema, type SchemaVersion } from './served-schemas.ts';
export { recordUsage } from './usage-records.ts';
export {
  type ClientCount,
  type FieldCount,
  listFieldUsage,
  listOperationUsage,
  MAX_CLIENTS,
  type OperationCount,
} from './usage-reports.ts';
export { deleteOldUsage } from './usage-retention.ts';
