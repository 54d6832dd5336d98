/** Keeps what the gateway counted: which client sent which operation, by hour, with the parts of the schema that it used. Stores no values of variables. */
export { recordedOperations } from './recorded-operations.ts';
export { recordUsage } from './recording.ts';
export {
  type ClientCount,
  type FieldCount,
  listFieldUsage,
  listOperationUsage,
  MAX_CLIENTS,
  type OperationCount,
} from './reports.ts';
export { listSchemas, recordSchema, type SchemaVersion } from './schema-versions.ts';
export { sweepUsage } from './usage-retention.ts';
