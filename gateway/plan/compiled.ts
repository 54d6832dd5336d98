import type { Operation } from '../contract.ts';

/** An operation with a compiled plan. */
export interface CompiledOperation extends Operation {
  /** The subgraphs that the events of a subscription use; undefined for other operations. */
  readonly eventSubgraphs?: ReadonlySet<string>;
}
