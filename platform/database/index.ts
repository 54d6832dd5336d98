/** Access to PostgreSQL: connections, transactions, statements that end with their caller, rows, ids, and the clock that all processes share. */
export { SizedCache } from 'compiled-gateway/cache';
export { actFor, setActor } from './actor.ts';
export { ByteBudget, type Reservation } from './byte-budget.ts';
export { clock } from './clock.ts';
export { type Database, lockName, lockNameShared, query, queryPrepared, sql, type Tables } from './database.ts';
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
export { column, columns, hidden, Table, timestamps } from './entity-columns.ts';
export { onBehalfOf } from './fair-connections.ts';
export { canonicalId, Deletion, deleteById, findById, isId, readById, requireAll } from './find.ts';
export { insertRows } from './insert.ts';
export { keepAlive } from './keep-alive.ts';
export { deleteOld, maintainPartitions, type PartitionedTable, SWEEP_BUDGET } from './partitions.ts';
export { nameOf } from './prepared.ts';
export { type Bind, countRows, type Rows, readChildren, readCount, readRows, readSlice, type StoredCount, sumOf } from './rows.ts';
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
export { OfWorkspace, Owned, SoftDeleted, Tenant } from './tenant.ts';
export { afterCommit, forbidInTransaction, inTransaction, trackTransaction } from './transactions.ts';
