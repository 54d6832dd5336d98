import type { FetchDataRewrite } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { isOfType } from '../document/types.ts';
import type { Data } from './run.ts';
import { own } from './run.ts';

export type Rewrite = (data: Data) => void;

type Visit = (value: unknown) => void;

const fragment = '... on ';

/**
 * Compile the rewrites of a fetch. They undo the aliases of fields that conflict in one subgraph, and the changed `__typename` of
 * interface objects.
 */
export function compileRewrites(rewrites: readonly FetchDataRewrite[] | undefined, supergraph: GraphQLSchema): Rewrite {
  if (!rewrites?.length) return () => {};
  const visits = rewrites.map((rewrite) => compileVisit(rewrite, supergraph));
  return (data) => {
    for (const visit of visits) visit(data);
  };
}

function compileVisit(rewrite: FetchDataRewrite, supergraph: GraphQLSchema): Visit {
  const change = changeOf(rewrite);
  return rewrite.path.slice(0, -1).reduceRight<Visit>((next, step) => {
    if (!step.startsWith(fragment)) return objects((object) => next(own(object, step)));
    const condition = step.slice(fragment.length);
    // Without `__typename` the object matches, because the planner did not need to distinguish types.
    return objects((object) => {
      if (!object.__typename || isOfType(supergraph, object.__typename, condition)) next(object);
    });
  }, objects(change));
}

function changeOf(rewrite: FetchDataRewrite): Rewrite {
  const key = rewrite.path.at(-1)!;
  if (rewrite.kind === 'ValueSetter') {
    return (object) => {
      object[key] = rewrite.setValueTo;
    };
  }
  return (object) => {
    const value = own(object, key);
    if (value === undefined) return;
    object[rewrite.renameKeyTo] = value;
    object[key] = undefined;
  };
}

/** Visit the objects in a value, including nested lists. */
function objects(visit: Rewrite): Visit {
  const each: Visit = (value) => {
    if (Array.isArray(value)) value.forEach(each);
    else if (typeof value === 'object' && value !== null) visit(value as Data);
  };
  return each;
}

/** The keys that a subgraph returns, with their names after the rewrites. */
export const renamesOf = (rewrites: readonly FetchDataRewrite[] | undefined): ReadonlyMap<string, string> =>
  new Map(rewrites?.flatMap((each) => (each.kind === 'KeyRenamer' ? [[each.path.at(-1)!, each.renameKeyTo] as const] : [])));
