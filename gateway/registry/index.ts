/** Keeps what gateways counted, and the schemas that people published, in a schema of PostgreSQL. Stores no values of variables. */

export {
  addPublished,
  listPublished,
  type Publication,
  type PublishedSchema,
  readPublished,
} from './published-schemas.ts';
export type { Counted, Slice } from './registry-database.ts';
export { DEFAULT_SCHEMA, type OpenRegistry, openRegistry, type Registry, registryIn, registryTables } from './registry-database.ts';
export { diffPublished, type SchemaDiff } from './schema-diff.ts';
export { listSchemas, recordSchema, type SchemaVersion } from './served-schemas.ts';
export { deleteOldUsage, recordUsage } from './usage-records.ts';
export {
  type ClientCount,
  type FieldCount,
  listFieldUsage,
  listOperationUsage,
  MAX_CLIENTS,
  type OperationCount,
  recordedOperations,
} from './usage-reports.ts';
