import type { GraphQLSchema } from 'graphql';
import type { Source } from '../../schema/request.ts';
import type { Shape } from './shape.ts';

/** What the nodes of a plan are compiled against. */
export interface Setting {
  readonly sources: Readonly<Record<string, Source>>;
  /** With everything `@inaccessible`: representations may need it. */
  readonly supergraph: GraphQLSchema;
  /** What the caller selected. */
  readonly selection: Shape;
  /** Called with what a source threw, which the caller never sees. */
  readonly onFault?: (subgraph: string, error: unknown) => void;
}
