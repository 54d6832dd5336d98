import type { ProductViewsQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';

export const VIEWS = graphql(`
  query ProductViews { productViews { id name isShared isOwn settings owner { id name email } } }
`);

export type View = ProductViewsQuery['productViews'][number];
