import type { Operation } from '../contract.ts';

/** An operation whose plan is compiled. */
export interface CompiledOperation extends Operation {
  /** The subgraphs that events of a subscription need. Other operations have none. */
  readonly eventSubgraphs?: ReadonlySet<string>;
}
