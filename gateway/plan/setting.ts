import type { PlanNode } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import type { Source } from '../contract.ts';
import type { Shape } from '../document/shape.ts';
import type { KeysOf } from '../planner/planner.ts';
import type { NumberedFields } from './resumption.ts';

/** The context in which plan nodes are compiled. */
export interface Setting {
  readonly sources: Readonly<Record<string, Source>>;
  /** Includes `@inaccessible` elements, which representations may need. */
  readonly supergraph: GraphQLSchema;
  /** The resolvable keys of a type in a subgraph, each as a list of field names. */
  readonly keysOf: KeysOf;
  /** All fetches of the operation, because several can write into the same objects. */
  readonly plan: PlanNode | undefined;
  /** The shape of the caller's selection. */
  readonly selection: Shape;
  /** Maps a key of the fetched data to its key in the response. */
  readonly responseKey: (key: string) => string;
  /** Subscriptions that can resume after an interruption. */
  readonly numbered: NumberedFields;
  /** Subgraphs whose errors reach callers unmasked. */
  readonly verbatim: ReadonlySet<string>;
  /** Receives the cause of a subgraph failure, which callers never see. */
  readonly onFault?: (subgraph: string, error: unknown) => void;
}
