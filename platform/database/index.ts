/** Access to PostgreSQL: connections, transactions, statements that end with their caller, rows, ids, and the clock that all processes share. */
export { SizedCache } from 'compiled-gateway/cache';
export { ByteBudget, type Reservation } from './byte-budget.ts';
export { clock } from './clock.ts';
export {
  actFor,
  type Database,
  keepAlive,
  lockName,
  lockNameShared,
  nameOf,
  query,
  queryPrepared,
  setActor,
  sql,
  type Tables,
} from './database.ts';
export {
  conflictIfTaken,
  hideFromVisitor,
  isDataError,
  isUnavailable,
  orUnavailable,
  storageRefusal,
  triggerRefusal,
  unavailable,
} from './database-errors.ts';
export { column, columns, hidden, OfWorkspace, Owned, SoftDeleted, Table, Tenant, timestamps } from './entity-columns.ts';
export { onBehalfOf } from './fair-connections.ts';
export { Deletion, deleteById, findById, insertRows, readById, requireAll } from './find.ts';
export { deleteOld, maintainPartitions, type PartitionedTable, SWEEP_BUDGET } from './partitions.ts';
export {
  type Bind,
  canonicalId,
  countRows,
  isId,
  type Rows,
  readChildren,
  readCount,
  readRows,
  readSlice,
  type StoredCount,
  sumOf,
} from './rows.ts';
export {
  buildIndex,
  byteCountTriggers,
  jsonBytes,
  listBytes,
  OF_ORGANIZATION,
  OnlineMigration,
  OWNED,
  rowCountTriggers,
  textBytes,
} from './schema-sql.ts';
export { Statements } from './statements.ts';
export {
  afterCommit,
  forbidInTransaction,
  inTransaction,
  LockOrderFault,
  trackTransaction,
  withDeadlockRetry,
} from './transactions.ts';
