import type {
  DocumentNode,
  FieldDefinitionNode,
  InterfaceTypeDefinitionNode,
  ObjectTypeDefinitionNode,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';
import { Kind, parseType } from 'graphql';
import type { Fragments } from '../plan/shape.ts';
import { fragmentOf, fragmentsOf } from '../plan/shape.ts';
import { directivesOf, graphOf, isTrue, nameOf, textOf } from './join.ts';

type Names = ReadonlySet<string>;

/** A field that holds objects, and which types of them each subgraph that resolves it can tell of. */
interface Answered {
  readonly parent: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;
  readonly definition: FieldDefinitionNode;
  readonly members: ReadonlyMap<string, Names>;
}

/** A field as one subgraph has it. */
export interface FieldOfOne {
  readonly type: string;
  readonly definition: FieldDefinitionNode;
  /** What the operations call it that ask this subgraph. */
  readonly name: string;
}

export interface Members {
  readonly fields: readonly FieldOfOne[];
  /** The operation with the subgraph written out wherever a selection would be lost otherwise; itself when there is none. */
  placed(document: DocumentNode, operation: OperationDefinitionNode, root: string): DocumentNode;
}

/**
 * The members of a union may differ from subgraph to subgraph. Where two of them resolve a field, the planner holds that only
 * the members of both can occur, and forgets what is selected on others: also where the objects come from one of them alone, as
 * its parent does. So each of these subgraphs gets a field of its own, which is asked for where there is no choice.
 */
export function membersIn(document: DocumentNode, nameFor: (field: string, graph: string) => string): Members {
  const objects = objectsByGraph(document);
  const answers = answersIn(document, objects);
  const own = new Map<string, FieldOfOne>();
  for (const [field, { parent, definition, members }] of answers) {
    if (parent.kind !== Kind.OBJECT_TYPE_DEFINITION || isEverywhereTheSame([...members.values()])) continue;
    for (const graph of members.keys()) {
      const name = nameFor(definition.name.value, graph);
      own.set(`${graph} ${field}`, { type: parent.name.value, definition: inOne(definition, graph, name), name });
    }
  }

  const meeting = (condition: string): Names => objects.get(condition) ?? new Set([condition]);
  return {
    fields: [...own.values()],
    placed(asked, operation, root) {
      if (own.size === 0) return asked;
      const fragments = fragmentsOf(asked);
      let changed = false;

      const within = (set: SelectionSetNode, type: string, graphs: Names): SelectionSetNode => ({
        ...set,
        selections: set.selections.map((selection): SelectionNode => {
          if (selection.kind !== Kind.FIELD) {
            const { typeCondition, selectionSet } = fragmentOf(selection, fragments);
            const inner = within(selectionSet, typeCondition?.name.value ?? type, graphs);
            return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives: selection.directives, selectionSet: inner };
          }
          const field = `${type}.${selection.name.value}`;
          const answered = answers.get(field);
          if (!answered || !selection.selectionSet) return selection;
          const { members, definition } = answered;
          const here = [...members.keys()].filter((graph) => graphs.has(graph));
          const [graph, ...others] = here.length > 0 ? here : members.keys();
          const selectionSet = within(selection.selectionSet, nameOf(definition.type), new Set(graph ? [graph, ...others] : []));
          const ofOne = others.length === 0 ? own.get(`${graph} ${field}`) : undefined;
          const lost = [...conditionsIn(selection.selectionSet, fragments)].some((condition) =>
            isLost(meeting(condition), members, graph!),
          );
          if (!ofOne || !lost) return { ...selection, selectionSet };
          changed = true;
          const name = { kind: Kind.NAME, value: ofOne.name } as const;
          return { ...selection, alias: selection.alias ?? selection.name, name, selectionSet };
        }),
      });

      const selectionSet = within(operation.selectionSet, root, new Set(rootGraphs(answers, root)));
      if (!changed) return asked;
      const definitions = asked.definitions.map((each) => (each === operation ? { ...operation, selectionSet } : each));
      return { ...asked, definitions };
    },
  };
}

/** The subgraph knows members that meet a condition, and another one that has the field knows none. */
const isLost = (meeting: Names, members: Answered['members'], graph: string): boolean =>
  meets(members.get(graph), meeting) && [...members.values()].some((each) => !meets(each, meeting));

const meets = (members: Names | undefined, meeting: Names): boolean => [...(members ?? [])].some((each) => meeting.has(each));

const isEverywhereTheSame = ([first, ...others]: Names[]): boolean =>
  others.every((each) => each.size === first!.size && [...each].every((name) => first!.has(name)));

/** The type conditions on the objects of a field. */
function* conditionsIn({ selections }: SelectionSetNode, fragments: Fragments): Generator<string> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) continue;
    const { typeCondition, selectionSet } = fragmentOf(selection, fragments);
    if (typeCondition) yield typeCondition.name.value;
    yield* conditionsIn(selectionSet, fragments);
  }
}

function* rootGraphs(answers: ReadonlyMap<string, Answered>, root: string): Generator<string> {
  for (const { parent, members } of answers.values()) if (parent.name.value === root) yield* members.keys();
}

/** The object types of unions and interfaces, by `subgraph.Type`, and of all subgraphs together by `Type`. */
function objectsByGraph({ definitions }: DocumentNode): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const note = (graph: string, type: string, object: string) => {
    for (const at of [`${graph}.${type}`, type]) found.set(at, (found.get(at) ?? new Set()).add(object));
  };
  for (const each of definitions) {
    if (each.kind === Kind.UNION_TYPE_DEFINITION) {
      for (const join of directivesOf(each, 'join__unionMember')) note(graphOf(join), each.name.value, textOf(join, 'member')!);
    } else if (each.kind === Kind.OBJECT_TYPE_DEFINITION) {
      for (const join of directivesOf(each, 'join__implements')) note(graphOf(join), textOf(join, 'interface')!, each.name.value);
    }
  }
  return found;
}

/** By `Type.field`, what its subgraphs can answer with. An interface object stands for any type. */
function answersIn(document: DocumentNode, objects: ReadonlyMap<string, Names>): Map<string, Answered> {
  const answers = new Map<string, Answered>();
  const leaves = new Set(
    document.definitions.flatMap((each) =>
      each.kind === Kind.SCALAR_TYPE_DEFINITION || each.kind === Kind.ENUM_TYPE_DEFINITION ? [each.name.value] : [],
    ),
  );
  for (const parent of document.definitions) {
    if (parent.kind !== Kind.OBJECT_TYPE_DEFINITION && parent.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const types = directivesOf(parent, 'join__type');
    for (const definition of parent.fields ?? []) {
      const type = nameOf(definition.type);
      if (leaves.has(type)) continue;
      const fields = directivesOf(definition, 'join__field');
      const members = new Map<string, Names>();
      for (const join of fields.length > 0 ? fields : types) {
        if (graphOf(join) === '' || isTrue(join, 'external') || isTrue(join, 'usedOverridden')) continue;
        const inGraph = nameOf(parseType(textOf(join, 'type') ?? type));
        members.set(graphOf(join), objects.get(`${graphOf(join)}.${inGraph}`) ?? objects.get(inGraph) ?? new Set([inGraph]));
      }
      answers.set(`${parent.name.value}.${definition.name.value}`, { parent, definition, members });
    }
  }
  return answers;
}

function inOne(definition: FieldDefinitionNode, graph: string, name: string): FieldDefinitionNode {
  const joins = directivesOf(definition, 'join__field');
  const value = { kind: Kind.ENUM, value: graph } as const;
  const made = {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: 'join__field' },
    arguments: [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'graph' }, value }],
  } as const;
  const directives = joins.length > 0 ? joins.filter((join) => graphOf(join) === graph) : [made];
  return { ...definition, name: { kind: Kind.NAME, value: name }, directives };
}
