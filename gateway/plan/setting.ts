import type { GraphQLSchema } from 'graphql';
import type { Source } from '../contract.ts';
import type { Shape } from '../document/shape.ts';
import type { KeysOf } from '../planner/planner.ts';
import type { NumberedFields } from './numbered.ts';

/** What the nodes of a plan are compiled against. */
export interface Setting {
  readonly sources: Readonly<Record<string, Source>>;
  /** With everything `@inaccessible`: representations may need it. */
  readonly supergraph: GraphQLSchema;
  /** The keys by which a subgraph finds entities of a type, each as the names of its fields. */
  readonly keysOf: KeysOf;
  /** What the caller selected. */
  readonly selection: Shape;
  /** The key of the response for a key of the data. */
  readonly told: (key: string) => string;
  /** What can be gone on with when it was interrupted. */
  readonly numbered: NumberedFields;
  /** Subgraphs whose errors callers see as they are. */
  readonly verbatim: ReadonlySet<string>;
  /** Called with what a source threw, which the caller never sees. */
  readonly onFault?: (subgraph: string, error: unknown) => void;
}
