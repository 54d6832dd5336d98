import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Answer } from '../contract.ts';
import { rootTypeOf } from '../document/root-type.ts';
import type { KeyTree, Selecting } from '../document/select.ts';
import { switchesOf } from '../document/select.ts';
import { fragmentsOf } from '../document/shape.ts';
import { fail } from '../errors.ts';
import { countFields } from './cache.ts';
import { NULL, type Trace } from './complete.ts';
import { responsePath, withinResponse } from './errors.ts';
import type { Project } from './project.ts';
import { compileProjection } from './project.ts';
import type { Data, Run } from './run.ts';

export type Respond = (run: Run) => Answer;

/** Write the response; undefined when it exceeds the budget. */
function write(project: Project, data: Data, trace: Trace): string | undefined {
  try {
    return project(data, trace)!;
  } catch (error) {
    if (error === trace.budget?.refusal) return undefined;
    throw error;
  }
}

/** Maximum cached variants of one response, and maximum fields over all variants. */
const maxVariants = 32;
const maxFields = 4_000;

/** Compile one projection per combination of `@skip` and `@include` values, so that a projection evaluates no conditions. */
export function compileResponse(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  responseKey: (key: string) => string,
  omitNull?: KeyTree,
): Respond {
  const fragments = fragmentsOf(document);
  const switches = switchesOf(document);
  const root = rootTypeOf(schema, operation);
  const variants = new Map<string, Project>();
  const maxCached = Math.max(1, Math.min(maxVariants, Math.floor(maxFields / countFields(document))));

  const compileVariant = (variables: Readonly<Data>): Project => {
    const setting: Selecting = {
      schema,
      operation,
      fragments,
      responseKey,
      omitNull,
      switches: Object.fromEntries(switches.map((name) => [name, variables[name]])),
    };
    return compileProjection(root, operation.selectionSet, setting);
  };
  const variantFor = (variables: Readonly<Data>) => {
    const key = switches.map((name) => (variables[name] ? '1' : '0')).join('');
    let variant = variants.get(key);
    if (!variant) {
      // Bound the cache, because callers choose the combinations.
      if (variants.size >= maxCached) variants.clear();
      variant = compileVariant(variables);
      variants.set(key, variant);
    }
    return variant;
  };

  return ({ data, variables, errors, context: { budget } }) => {
    if (budget?.refusal) return { errors: [budget.refusal.toJSON()] };
    const trace: Trace = { variables, budget, length: 0, limit: budget?.limit ?? Number.POSITIVE_INFINITY, message: '' };
    const text = write(variantFor(variables), data, trace);
    if (text === undefined) return { errors: [budget!.refusal!.toJSON()] };
    // As in Apollo's gateway, an unexplained null is an error only when it makes the whole response null.
    if (text === NULL && errors.length === 0) {
      errors.push({
        ...fail('INTERNAL_SERVER_ERROR', trace.message).toJSON(),
        path: trace.path && responsePath(trace.path.reverse(), responseKey),
      });
    }
    if (errors.length === 0) return { data: text };
    const response: unknown = JSON.parse(text);
    return { errors: errors.map((error) => withinResponse(error, response)), data: text };
  };
}
