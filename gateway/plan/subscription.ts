import { baseType, isObjectType, type Subgraphs } from '@apollo/federation-internals';
import type { FetchNode, SubscriptionNode } from '@apollo/query-planner';
import {
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { mapStream } from '../event-stream.ts';
import { fail } from '../gateway-error.ts';
import type { Answer, RequestContext, SourceRequest, SourceResult } from '../source-contract.ts';
import { NULL } from './complete.ts';
import {
  type Compilation,
  type CompiledOperation,
  catchRefusal,
  type Data,
  type ExecutionState,
  isObject,
  type NumberedFields,
} from './context.ts';
import { compileRequest, isResult } from './fetch.ts';
import type { Respond } from './response.ts';
import { compileNode, fetchesIn } from './steps.ts';
import { translate, unavailableError } from './subgraph-errors.ts';

type Start = (given: Readonly<Data>, context: RequestContext) => ExecutionState;

/** Compile a subscription: subscribe at the subgraph of the primary fetch, and run the rest of the plan for each event. */
export function compileSubscription(
  { primary, rest }: SubscriptionNode,
  compilation: Compilation,
  start: Start,
  respond: Respond,
): CompiledOperation {
  const numbered = numberedPrimary(primary, compilation.numbered);
  const { request, report, rewrite, merge } = compileRequest(numbered?.node ?? primary, compilation);
  const source = compilation.sources[primary.serviceName]!;
  const step = rest && compileNode(rest, compilation);
  const open = async (run: ExecutionState) => source.subscribe(numbered?.begin(request(run), run) ?? request(run));
  const lost = (error: unknown): Answer => {
    compilation.onFault?.(primary.serviceName, error);
    const isRefusal = error instanceof GraphQLError && error.extensions.code !== 'UNAVAILABLE';
    if (!isRefusal || !compilation.verbatim.has(primary.serviceName))
      return { data: NULL, errors: [unavailableError(primary.serviceName)] };
    return { data: NULL, errors: [translate(error.toJSON(), undefined, true)] };
  };

  const answer = async (subscribed: ExecutionState, result: SourceResult): Promise<Answer> => {
    if (!isResult(result)) return lost(new TypeError('The subgraph sent an event that is not a GraphQL result'));
    const { data, errors } = result;
    const run: ExecutionState = { ...subscribed, data: {}, errors: [] };
    report(run, errors, (path) => [path]);
    // A result without data is an error of the stream, not an event.
    if (!data) return { data: NULL, errors: run.errors };
    rewrite(data);
    merge(run.data, data);
    await step?.(run);
    return respond(run);
  };

  const subgraphs = new Set([primary, ...fetchesIn(rest).map(({ fetch }) => fetch)].map(({ serviceName }) => serviceName));

  return {
    execute: async () => ({ errors: [fail('INVALID_INPUT', 'A subscription cannot be executed as a query').toJSON()] }),

    subscribe: (given, context) =>
      catchRefusal(async () => {
        const run = start(given, context);
        let events: Awaited<ReturnType<typeof open>>;
        try {
          events = await open(run);
        } catch (error) {
          return lost(error);
        }
        if (!(Symbol.asyncIterator in events)) return answer(run, events);
        const stream = mapStream(events, {
          // Each event has the full response budget.
          beforeRead: () => context.budget?.restart(),
          map: (event) => answer(run, event),
          lost,
          signal: context.signal,
        });
        compilation.onStream?.(stream, subgraphs);
        return stream;
      }),
  };
}

/**
 * Find subscriptions that can resume after an interruption. They take `after: Int`, return events with `sequence: Int!`, and must
 * deliver every event with a greater number, in order.
 */
export function numberedFields(subgraphs: Subgraphs): NumberedFields {
  return new Map(
    [...subgraphs].map(({ name, schema }) => {
      const fields = schema.schemaDefinition.rootType('subscription')?.fields() ?? [];
      const numbered = fields.filter((field) => {
        const event = baseType(field.type!);
        const after = field.argument('after')?.type?.toString();
        return (after === 'Int' || after === 'Int!') && isObjectType(event) && event.field('sequence')?.type?.toString() === 'Int!';
      });
      return [name, new Set(numbered.map((field) => field.name))];
    }),
  );
}

/** A primary fetch that can resume after the last received event. */
interface Numbered {
  node: FetchNode;
  /** Add the caller's `after` and the resume function to a request. */
  begin(request: SourceRequest, run: ExecutionState): SourceRequest;
}

const SEQUENCE = '_sequence';
const AFTER = '_after';

/** Add `sequence` to the selection of a primary fetch, and make `after` a variable. */
function numberedPrimary(primary: FetchNode, fields: NumberedFields): Numbered | undefined {
  const document = parse(primary.operation, { noLocation: true });
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION)!;
  const root = operation.selectionSet.selections[0];
  if (root?.kind !== Kind.FIELD || !fields.get(primary.serviceName)?.has(root.name.value)) return undefined;

  const given = root.arguments?.find(({ name }) => name.value === 'after')?.value;
  const own = given?.kind === Kind.VARIABLE ? given.name.value : undefined;
  const changed = withVariables(operation, withSequence(root), own);
  const definitions = document.definitions.map((each) => (each === operation ? changed : each));
  const used = new Set(changed.variableDefinitions!.map(({ variable }) => variable.name.value));
  const node: FetchNode = {
    ...primary,
    operation: print({ ...document, definitions }),
    variableUsages: primary.variableUsages?.filter((name) => used.has(name)),
  };

  const key = (root.alias ?? root.name).value;
  const begin = (request: SourceRequest, run: ExecutionState): SourceRequest => {
    const behind = (after: unknown) => (after === undefined ? undefined : { ...request.variables, [AFTER]: after });
    const first = own !== undefined ? run.variables[own] : given && valueFromASTUntyped(given);
    return {
      ...request,
      variables: behind(first) ?? request.variables,
      resume: (event) => behind(numberOf(event, key)),
    };
  };
  return { node, begin };
}

function numberOf({ data }: SourceResult, key: string): unknown {
  const event = data?.[key];
  return isObject(event) ? event[SEQUENCE] : undefined;
}

const named = <Name extends string>(value: Name) => ({ kind: Kind.NAME as const, value });

function withSequence(root: FieldNode): FieldNode {
  const rest = root.arguments?.filter(({ name }) => name.value !== 'after') ?? [];
  const after = { kind: Kind.ARGUMENT as const, name: named('after'), value: { kind: Kind.VARIABLE as const, name: named(AFTER) } };
  const sequence: FieldNode = { kind: Kind.FIELD, alias: named(SEQUENCE), name: named('sequence') };
  const selections = [...(root.selectionSet?.selections ?? []), sequence];
  return { ...root, arguments: [...rest, after], selectionSet: { kind: Kind.SELECTION_SET, selections } };
}

/** Replace the caller's `after` variable. Keep its definition only if another argument uses it. */
function withVariables(operation: OperationDefinitionNode, root: FieldNode, own: string | undefined): OperationDefinitionNode {
  const known = operation.variableDefinitions ?? [];
  let usedElsewhere = false;
  visit(root, {
    Variable({ name }) {
      if (name.value === own) usedElsewhere = true;
    },
  });
  const callerDefinition = known.find(({ variable }) => variable.name.value === own);
  const after: VariableDefinitionNode = {
    kind: Kind.VARIABLE_DEFINITION,
    type: callerDefinition?.type ?? { kind: Kind.NAMED_TYPE, name: named('Int') },
    defaultValue: callerDefinition?.defaultValue,
    variable: { kind: Kind.VARIABLE, name: named(AFTER) },
  };
  const remaining = known.filter((each) => each !== callerDefinition || usedElsewhere);
  return {
    ...operation,
    variableDefinitions: [...remaining, after],
    selectionSet: { kind: Kind.SELECTION_SET, selections: [root] },
  };
}
