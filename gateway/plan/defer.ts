import type { DeferNode, PlanNode, ResponsePath } from '@apollo/query-planner';
import {
  type DirectiveNode,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { EventStream } from '../event-stream.ts';
import { fail } from '../gateway-error.ts';
import { type Fragments, fragmentsOf, isDefer } from '../selection.ts';
import type { Answer, Deferred, DeferredEvent, DeferredPart, PartPlace } from '../source-contract.ts';
import { NULL, type PendingPart } from './complete.ts';
import type { Data, ExecutionState } from './context.ts';
import { shapeOfFetch } from './fetch.ts';
import type { CompletePart } from './response.ts';
import { fetchesIn } from './steps.ts';
import { isBelow, lazy, placesOf } from './subgraph-errors.ts';

/** Remove `@defer`, so that the operation has one complete answer. */
export const withoutDefer = (document: DocumentNode): DocumentNode =>
  visit(document, { Directive: (directive) => (isDefer(directive) ? null : undefined) });

/** The variables of `@defer(if: …)` in a document; undefined without `@defer`. */
export function deferConditionsOf(document: DocumentNode): string[] | undefined {
  const names = new Set<string>();
  let isDeferred = false;
  visit(document, {
    Directive(directive) {
      if (!isDefer(directive)) return;
      isDeferred = true;
      const condition = argumentOf(directive, 'if');
      if (condition?.kind === Kind.VARIABLE) names.add(condition.name.value);
    },
  });
  return isDeferred ? [...names] : undefined;
}

const argumentOf = ({ arguments: given }: DirectiveNode, name: string) => given?.find((each) => each.name.value === name)?.value;

/** An operation whose deferred fragments are inline fragments with unique labels. */
interface Labeled {
  readonly document: DocumentNode;
  /** The label that the caller gave each fragment, by its unique label. */
  readonly labels: ReadonlyMap<string, string | undefined>;
}

/**
 * Label the deferred fragments of an operation and evaluate their conditions. Fragments that contain deferred ones are expanded, because the
 * planner needs a label for each place.
 */
export function withLabels(document: DocumentNode, definition: OperationDefinitionNode, variables: Readonly<Data>): Labeled {
  const fragments = fragmentsOf(document);
  const labels = new Map<string, string | undefined>();
  const deferring = new Map<string, boolean>();

  const isOn = (directive: DirectiveNode): boolean => {
    const condition = argumentOf(directive, 'if');
    if (condition?.kind === Kind.VARIABLE) return variables[condition.name.value] !== false;
    return condition?.kind !== Kind.BOOLEAN || condition.value;
  };
  const labeled = (directive: DirectiveNode): DirectiveNode[] => {
    if (!isDefer(directive)) return [directive];
    if (!isOn(directive)) return [];
    const label = argumentOf(directive, 'label');
    const value = `part${labels.size}`;
    labels.set(value, label?.kind === Kind.STRING ? label.value : undefined);
    const argument = {
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: 'label' },
      value: { kind: Kind.STRING, value },
    } as const;
    return [{ kind: Kind.DIRECTIVE, name: directive.name, arguments: [argument] }];
  };
  const expand = (set: SelectionSetNode): SelectionSetNode => ({
    ...set,
    selections: set.selections.map((selection): SelectionNode => {
      if (selection.kind === Kind.FIELD)
        return selection.selectionSet ? { ...selection, selectionSet: expand(selection.selectionSet) } : selection;
      const directives = (selection.directives ?? []).flatMap(labeled);
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return { ...selection, directives, selectionSet: expand(selection.selectionSet) };
      const { typeCondition, selectionSet } = fragments.get(selection.name.value)!;
      const isExpanded = directives.some(isDefer) || holdsDefer(selection.name.value, fragments, deferring);
      if (!isExpanded) return { ...selection, directives };
      return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet: expand(selectionSet) };
    }),
  });

  const definitions = document.definitions.map((each) =>
    each === definition ? { ...definition, selectionSet: expand(definition.selectionSet) } : each,
  );
  return { document: { ...document, definitions }, labels };
}

/**
 * Remove `@defer` from the inline fragments of objects that a field returns as an interface which is an object type in a subgraph. Apollo's
 * planner may not end for them: the type of the object comes by a fetch that both parts need.
 */
export function withoutUnplannable(
  document: DocumentNode,
  schema: GraphQLSchema,
  interfaceObjects: ReadonlySet<string>,
): DocumentNode {
  if (interfaceObjects.size === 0) return document;
  const info = new TypeInfo(schema);
  const fields: boolean[] = [];
  const removing = visitWithTypeInfo(info, {
    Field: {
      enter() {
        fields.push(interfaceObjects.has(String(getNamedType(info.getType()))));
      },
      leave() {
        fields.pop();
      },
    },
    InlineFragment({ directives = [], ...fragment }) {
      if (!fields.at(-1) || !directives.some(isDefer)) return undefined;
      return { ...fragment, directives: directives.filter((each) => !isDefer(each)) };
    },
  });
  return visit(document, removing);
}

/** Whether a fragment contains a deferred one, directly or through others. */
function holdsDefer(name: string, fragments: Fragments, known: Map<string, boolean>): boolean {
  const found = known.get(name);
  if (found !== undefined) return found;
  const holds = ({ selections }: SelectionSetNode): boolean =>
    selections.some(
      (each) =>
        each.directives?.some(isDefer) ||
        (each.kind === Kind.FRAGMENT_SPREAD
          ? holdsDefer(each.name.value, fragments, known)
          : each.selectionSet !== undefined && holds(each.selectionSet)),
    );
  const result = holds(fragments.get(name)!.selectionSet);
  known.set(name, result);
  return result;
}

/** Counts the fetches on which deferred fetches wait, by id. The rewritten parts of one fetch have the same id. */
export function awaitedFetches(plan: PlanNode | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { fetch } of fetchesIn(plan)) if (fetch.id !== undefined) counts.set(fetch.id, (counts.get(fetch.id) ?? 0) + 1);
  return counts;
}

/**
 * Make the ids of the fetches of a mutation unique. Apollo's planner numbers those of each root field from 0, so that a part would wait for
 * those of another field.
 */
export function makeIdsUnique(plan: PlanNode): void {
  const paths = new Map([...fetchesIn(plan)].map(({ fetch, path }) => [fetch, path]));
  const roots = new Map<unknown, number>();
  let count = 0;
  for (const [fetch, path] of paths) {
    if (path.length > 0) continue;
    for (const key of shapeOfFetch(fetch).keys()) roots.set(key, count);
    count += 1;
  }
  const idOf = (id: string, path: ResponsePath) => `${id} of ${roots.get(path.find((key) => roots.has(key)))}`;
  for (const [fetch, path] of paths)
    if (fetch.id !== undefined) fetch.id = idOf(fetch.id, path.length > 0 ? path : [...shapeOfFetch(fetch).keys()]);
  for (const { deferred } of defersIn(plan))
    for (const part of deferred) part.depends = part.depends.map((each) => ({ ...each, id: idOf(each.id, part.queryPath) }));
}

function defersIn(node: PlanNode | undefined): DeferNode[] {
  switch (node?.kind) {
    case 'Flatten':
      return defersIn(node.node);
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap(defersIn);
    case 'Condition':
      return [...defersIn(node.ifClause), ...defersIn(node.elseClause)];
    case 'Defer':
      return [node, ...[node.primary, ...node.deferred].flatMap((part) => defersIn(part.node))];
    default:
      return [];
  }
}

/** A part that is not sent yet. */
interface WaitingPart extends PartPlace {
  readonly part: PendingPart;
}

/** Stream the parts that follow a first answer, each as soon as its fetches have ended. */
export function streamParts(
  run: ExecutionState,
  first: readonly PendingPart[],
  labels: Labeled['labels'],
  completePart: CompletePart,
): Deferred {
  const fetches = run.deferred!;
  const waiting = new Map<string, WaitingPart[]>();
  let ids = 0;

  const wait = (parts: readonly PendingPart[], below: PartPlace['path']): PartPlace[] =>
    parts.map((part) => {
      const place: PartPlace = { id: String(ids++), path: [...below, ...part.path.toReversed()], label: labels.get(part.label) };
      const same = waiting.get(part.label);
      if (same) same.push({ ...place, part });
      else waiting.set(part.label, [{ ...place, part }]);
      return place;
    });

  const next = async (): Promise<DeferredEvent | undefined> => {
    if (waiting.size === 0) return undefined;
    const label = await Promise.race([...waiting.keys()].map((each) => fetches.ended(each)));
    const parts = waiting.get(label)!;
    waiting.delete(label);
    const pathsOf = (places: readonly PartPlace[]) => placesOf(places.map(({ path }) => path));
    const own = lazy(() => pathsOf(parts));
    const isOfParts = ({ path = [] }: GraphQLFormattedError) => isBelow(path, own());
    const { held } = fetches;
    fetches.held = held.filter((error) => !isOfParts(error));
    const errors = distribute([...fetches.errorsOf(label), ...held.filter(isOfParts)], parts);
    const others = lazy(() => pathsOf([...waiting.values()].flat()));
    const pending: PartPlace[] = [];
    const completed = parts.map(({ part, ...place }): DeferredPart => {
      const nested: PendingPart[] = [];
      const answer: Answer = completePart(
        run,
        { part, path: place.path, errors: errors.get(place.id) ?? [], waiting: others },
        nested,
      );
      for (const each of wait(nested, place.path)) pending.push(each);
      return { ...place, data: answer.data ?? NULL, ...(answer.errors && { errors: answer.errors }) };
    });
    return { completed, pending, hasNext: waiting.size > 0 };
  };
  const { signal } = run.context;
  /** The last event after a timeout or a disconnect. It does not wait for subgraphs, which may ignore the signal. */
  const givenUp = (): DeferredEvent => {
    const { message } = signal!.reason as Error;
    const errors = [fail('UNAVAILABLE', message).toJSON()];
    const completed = [...waiting.values()].flat().map(({ part: _, ...place }) => ({ ...place, data: NULL, errors }));
    return { completed, pending: [], hasNext: false };
  };
  const events = new EventStream(next, () => waiting.clear());
  const end = () => events.end(givenUp());
  const pending = wait(first, []);
  signal?.addEventListener('abort', end);
  events.onEnd(() => signal?.removeEventListener('abort', end));
  return { pending, events };
}

const keyOf = (path: PartPlace['path'], length: number): string => JSON.stringify(path.slice(0, length));

/** Assign errors to the part that contains their path. The first part below a path gets an error of several. */
function distribute(errors: readonly GraphQLFormattedError[], parts: readonly PartPlace[]): Map<string, GraphQLFormattedError[]> {
  const byId = new Map<string, GraphQLFormattedError[]>();
  if (errors.length === 0) return byId;
  const [at, below] = [new Map<string, PartPlace>(), new Map<string, PartPlace>()];
  for (const part of parts) {
    at.set(keyOf(part.path, part.path.length), part);
    for (let length = part.path.length; length >= 0; length--) {
      const key = keyOf(part.path, length);
      if (below.has(key)) break;
      below.set(key, part);
    }
  }
  for (const error of errors) {
    const path = error.path ?? [];
    let part: PartPlace | undefined;
    for (let length = path.length; length >= 0 && !part; length--) part = at.get(keyOf(path, length));
    part ??= below.get(keyOf(path, path.length));
    if (part) byId.set(part.id, [...(byId.get(part.id) ?? []), error]);
  }
  return byId;
}
