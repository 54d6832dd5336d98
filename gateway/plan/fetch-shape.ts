import type { FetchNode } from '@apollo/query-planner';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { Kind, parse } from 'graphql';
import type { Shape } from '../document/shape.ts';
import { fragmentsOf, shapeOf } from '../document/shape.ts';
import { renamesOf } from './rewrite.ts';

const shapes = new WeakMap<FetchNode, Shape>();

/** The keys that a fetch adds to each of its targets, after the rewrites of its result. */
export function shapeOfFetch(node: FetchNode, document?: DocumentNode): Shape {
  const known = shapes.get(node) ?? computeShape(node, document ?? parse(node.operation, { noLocation: true }));
  shapes.set(node, known);
  return known;
}

function computeShape({ requires, outputRewrites }: FetchNode, document: DocumentNode): Shape {
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION)!;
  const shape = shapeOf(operation.selectionSet, fragmentsOf(document));
  return withRenamedKeys(requires ? shape.get('_entities')! : shape, renamesOf(outputRewrites));
}

/** Add the renamed keys to the shape, because merging runs after the rewrites. */
function withRenamedKeys(shape: Shape, renames: ReadonlyMap<string, string>, into: Shape = new Map()): Shape {
  for (const [key, inner] of shape) {
    for (const name of [key, renames.get(key)]) {
      if (name !== undefined) into.set(name, inner && withRenamedKeys(inner, renames, into.get(name) ?? new Map()));
    }
  }
  return into;
}
