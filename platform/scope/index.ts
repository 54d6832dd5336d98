/** The scope of an operation: its caller, its organization, the entity manager bound to it, and its transactions. Service functions take it first. */
export type { Access, Caller } from './caller.ts';
export {
  detached,
  fresh,
  lockContent,
  RequestScope,
  requireUnbound,
  type Scope,
  type StoreResult,
  transaction,
  transactional,
  visiting,
} from './scope.ts';
