import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Answer } from '../contract.ts';
import type { KeyTree, Selecting } from '../document/select.ts';
import { switchesOf } from '../document/select.ts';
import { fragmentsOf } from '../document/shape.ts';
import { fail } from '../errors.ts';
import { countFields } from './cache.ts';
import { NULL, type Trace } from './complete.ts';
import { toldPath, withinResponse } from './errors.ts';
import type { Project } from './project.ts';
import { compileProjection } from './project.ts';
import type { Data, Run } from './run.ts';

export type Respond = (run: Run) => Answer;

/** Undefined when the response exceeds the budget. */
function write(project: Project, data: Data, trace: Trace): string | undefined {
  try {
    return project(data, trace)!;
  } catch (error) {
    if (error === trace.budget?.refusal) return undefined;
    throw error;
  }
}

/** Variants of one response that are kept, and the fields they may have together. */
const mostVariants = 32;
const mostFields = 4_000;

/** One projection for each combination of `@skip` and `@include` that is met, so that projecting knows no conditions. */
export function compileResponse(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  told: (key: string) => string,
  omitNull?: KeyTree,
): Respond {
  const fragments = fragmentsOf(document);
  const switches = switchesOf(document);
  const root = schema.getRootType(operation.operation)!;
  const variants = new Map<string, Project>();
  const most = Math.max(1, Math.min(mostVariants, Math.floor(mostFields / countFields(document))));

  const compileVariant = (variables: Readonly<Data>): Project => {
    const setting: Selecting = {
      schema,
      operation,
      fragments,
      told,
      omitNull,
      switches: Object.fromEntries(switches.map((name) => [name, variables[name]])),
    };
    return compileProjection(root, operation.selectionSet, setting);
  };
  const variantFor = (variables: Readonly<Data>) => {
    const key = switches.map((name) => (variables[name] ? '1' : '0')).join('');
    let variant = variants.get(key);
    if (!variant) {
      // Callers choose the combinations, so only so many are kept.
      if (variants.size >= most) variants.clear();
      variant = compileVariant(variables);
      variants.set(key, variant);
    }
    return variant;
  };

  return ({ data, variables, errors, context: { budget } }) => {
    if (budget?.refusal) return { errors: [budget.refusal.toJSON()] };
    const trace: Trace = { variables, budget, length: 0, message: '' };
    const text = write(variantFor(variables), data, trace);
    if (text === undefined) return { errors: [budget!.refusal!.toJSON()] };
    // Like Apollo's, nulls that a subgraph did not explain are no errors, unless they leave no response at all.
    if (text === NULL && errors.length === 0) {
      errors.push({
        ...fail('INTERNAL_SERVER_ERROR', trace.message).toJSON(),
        path: trace.path && toldPath(trace.path.reverse(), told),
      });
    }
    if (errors.length === 0) return { data: text };
    const response: unknown = JSON.parse(text);
    return { errors: errors.map((error) => withinResponse(error, response)), data: text };
  };
}
