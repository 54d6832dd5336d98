import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLFormattedError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { markVerbatim } from '../gateway-error.ts';
import { type Fragments, fragmentOf, fragmentsOf, isCondition, isIncluded, rootTypeOf } from '../selection.ts';
import type { Authorization, RequestContext } from '../source-contract.ts';
import type { AccessRule, AccessRules, AnyOf } from '../supergraph/access-rules.ts';
import { type CompiledOperation, catchRefusal, type Data } from './context.ts';

/** A field that the caller may not select. */
interface Denial {
  /** Response keys, with `@` for the items of a list. */
  readonly path: readonly string[];
  /** Conditions of the field and the selections around it. */
  readonly conditions: readonly DirectiveNode[];
}

/** An operation as a caller who may not select all its fields gets it, with fragments expanded. */
export interface AllowedPart {
  /** The part to plan; undefined when nothing is allowed. */
  readonly planned: OperationDefinitionNode | undefined;
  /** All fields, for the response. */
  readonly shown: OperationDefinitionNode;
  /** Those fields of `shown` that are null. The plan may have fetched them for its own use, as a key or a requirement. */
  readonly hidden: ReadonlySet<FieldNode>;
  /** The errors of an execution with these variables. */
  denied(variables: Readonly<Data>): GraphQLFormattedError[];
}

/** An operation with fields that not everybody may select. */
interface GuardedOperation {
  readonly rules: readonly AccessRule[];
  allowedPart(unmet: ReadonlySet<AccessRule>): AllowedPart;
}

interface Guarding {
  readonly schema: GraphQLSchema;
  readonly accessRules: AccessRules;
  readonly responseKey: (key: string) => string;
}

/** Paths of one answer. A document with many fragments could have more. */
const MAX_DENIALS = 1_000;

/** Find the rules of an operation; undefined when everybody may select all its fields. */
export function guardOf(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  { schema, accessRules, responseKey }: Guarding,
): GuardedOperation | undefined {
  if (accessRules.size === 0) return undefined;
  const filter = new Filter(schema, accessRules, fragmentsOf(document), responseKey);
  const root = rootTypeOf(schema, definition);
  const rules = new Set<AccessRule>();
  const find = (needed: readonly AccessRule[]) => {
    for (const rule of needed) rules.add(rule);
    return true;
  };
  filter.shown(definition.selectionSet, root, find, () => {});
  if (rules.size === 0) return undefined;

  return {
    rules: [...rules],
    allowedPart(unmet) {
      const denials = new Map<string, Denial>();
      const deny = (denial: Denial) => {
        const key = JSON.stringify(denial);
        if (denials.size < MAX_DENIALS) denials.set(key, denial);
      };
      const isMet = (needed: readonly AccessRule[]) => !needed.some((rule) => unmet.has(rule));
      const { selections, hidden } = filter.shown(definition.selectionSet, root, isMet, deny);
      const withSelections = (all: SelectionNode[]) => ({
        ...definition,
        selectionSet: { ...definition.selectionSet, selections: all },
      });
      const allowed = without(hidden, selections);
      return {
        planned: allowed.length > 0 ? withSelections(allowed) : undefined,
        shown: withSelections(selections),
        hidden,
        denied: (variables) => errorsOf([...denials.values()], variables),
      };
    },
  };
}

function errorsOf(denials: readonly Denial[], variables: Readonly<Data>): GraphQLFormattedError[] {
  const paths = new Map<string, readonly string[]>();
  for (const { path, conditions } of denials) if (isIncluded(conditions, variables)) paths.set(JSON.stringify(path), path);
  return [...paths.values()].map((path) => ({
    message: 'Unauthorized field or type',
    path,
    extensions: markVerbatim({ code: 'UNAUTHORIZED_FIELD_OR_TYPE' }),
  }));
}

type IsMet = (needed: readonly AccessRule[]) => boolean;

/** A place in the operation. */
interface Place {
  readonly type: GraphQLCompositeType;
  /** The types that objects at this place can have. */
  readonly possible: readonly GraphQLObjectType[];
  readonly path: readonly string[];
  readonly conditions: readonly DirectiveNode[];
  /** Whether a fragment around this place is denied. */
  readonly isDenied: boolean;
  readonly needed: readonly AccessRule[];
}

/** The selections without hidden fields. An object without any other field is still fetched, because the caller may know whether it is null. */
function without(hidden: ReadonlySet<FieldNode>, selections: readonly SelectionNode[]): SelectionNode[] {
  return selections.flatMap((selection): SelectionNode | [] => {
    if (selection.kind === Kind.FRAGMENT_SPREAD || (selection.kind === Kind.FIELD && hidden.has(selection))) return [];
    const { selectionSet } = selection;
    if (!selectionSet) return selection;
    const inner = without(hidden, selectionSet.selections);
    const isNeeded = selection.kind === Kind.FIELD || inner.length > 0;
    return isNeeded ? { ...selection, selectionSet: { ...selectionSet, selections: inner } } : [];
  });
}

interface Filtered {
  readonly selections: SelectionNode[];
  readonly hidden: ReadonlySet<FieldNode>;
}

/** Finds the fields whose rules a caller does not meet. */
class Filter {
  readonly #schema: GraphQLSchema;
  readonly #rules: AccessRules;
  readonly #fragments: Fragments;
  readonly #responseKey: (key: string) => string;

  constructor(schema: GraphQLSchema, rules: AccessRules, fragments: Fragments, responseKey: (key: string) => string) {
    this.#schema = schema;
    this.#rules = rules;
    this.#fragments = fragments;
    this.#responseKey = responseKey;
  }

  shown(set: SelectionSetNode, root: GraphQLObjectType, isMet: IsMet, deny: (denial: Denial) => void): Filtered {
    const hidden = new Set<FieldNode>();
    const hide = (field: FieldNode): FieldNode => {
      hidden.add(field);
      return field;
    };
    const within = ({ selections, ...rest }: SelectionSetNode, place: Place): SelectionSetNode => ({
      ...rest,
      selections: selections.map((selection): SelectionNode => {
        const conditions = [...place.conditions, ...(selection.directives ?? []).filter(isCondition)];
        if (selection.kind !== Kind.FIELD) {
          const { typeCondition, selectionSet } = fragmentOf(selection, this.#fragments);
          const inner = this.#narrowed(place, typeCondition?.name.value);
          const isDenied = place.isDenied || !isMet(inner.needed);
          const { directives } = selection;
          return {
            kind: Kind.INLINE_FRAGMENT,
            typeCondition,
            directives,
            selectionSet: within(selectionSet, { ...inner, conditions, isDenied }),
          };
        }
        const path = [...place.path, this.#responseKey((selection.alias ?? selection.name).value)];
        if (place.isDenied || !isMet([...place.needed, ...this.#rulesOf(selection, place)])) {
          deny({ path, conditions });
          return hide(this.#expanded(selection, hide));
        }
        const type = this.#typeOf(selection, place);
        const named = type && getNamedType(type);
        if (!selection.selectionSet || !isCompositeType(named)) return this.#expanded(selection);
        const inner: Place = {
          type: named,
          possible: this.#possible(named),
          path: [...path, ...listsOf(type!)],
          conditions,
          isDenied: false,
          needed: [],
        };
        return { ...selection, selectionSet: within(selection.selectionSet, inner) };
      }),
    });
    const needed = this.#rulesAt(root.name);
    const { selections } = within(set, { type: root, possible: [root], path: [], conditions: [], isDenied: false, needed });
    return { selections: [...selections], hidden };
  }

  /** A copy of a field without fragment spreads. `each` receives the fields below it. */
  #expanded(field: FieldNode, each: (field: FieldNode) => FieldNode = (copy) => copy): FieldNode {
    const within = ({ selections, ...rest }: SelectionSetNode): SelectionSetNode => ({
      ...rest,
      selections: selections.map((selection): SelectionNode => {
        if (selection.kind === Kind.FIELD) return each(this.#expanded(selection, each));
        const { typeCondition, selectionSet } = fragmentOf(selection, this.#fragments);
        return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives: selection.directives, selectionSet: within(selectionSet) };
      }),
    });
    return { ...field, selectionSet: field.selectionSet && within(field.selectionSet) };
  }

  #narrowed(place: Place, condition: string | undefined): Place {
    const type = condition === undefined ? undefined : this.#schema.getType(condition);
    if (!isCompositeType(type) || type === place.type) return place;
    const possible = this.#possible(type);
    return {
      ...place,
      type,
      possible: place.possible.filter((each) => possible.includes(each)),
      needed: [...place.needed, ...this.#rulesAt(type.name)],
    };
  }

  /** The rules of a field, its type, and at an abstract place those of the types that its objects can have. */
  #rulesOf(field: FieldNode, place: Place): AccessRule[] {
    const name = field.name.value;
    if (name.startsWith('__')) return [];
    const type = this.#typeOf(field, place);
    const ofTypes = isAbstractType(place.type) ? place.possible.flatMap((each) => this.#rulesAt(each.name)) : [];
    return [
      ...this.#rulesAt(`${place.type.name}.${name}`),
      ...place.possible.flatMap((each) => this.#rulesAt(`${each.name}.${name}`)),
      ...ofTypes,
      ...(type ? this.#rulesAt(getNamedType(type).name) : []),
    ];
  }

  #typeOf({ name }: FieldNode, { type }: Place): GraphQLOutputType | undefined {
    return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name.value]?.type : undefined;
  }

  #possible(type: GraphQLCompositeType): readonly GraphQLObjectType[] {
    return isAbstractType(type) ? this.#schema.getPossibleTypes(type) : [type];
  }

  #rulesAt(coordinate: string): readonly AccessRule[] {
    return this.#rules.get(coordinate) ?? [];
  }
}

/** An `@` for each list of a type. */
function listsOf(type: GraphQLOutputType): string[] {
  if (isNonNullType(type)) return listsOf(type.ofType);
  return isListType(type) ? ['@', ...listsOf(type.ofType)] : [];
}

/** Operations with a removed part that are kept. Callers of one graph have few combinations of rights. */
const MAX_VARIANTS = 32;

/**
 * Compile an operation once for each combination of rules that callers do not meet. Nothing is planned for the fields that they may not
 * select, so no subgraph is asked for them.
 */
export function guardOperation(
  whole: CompiledOperation,
  { rules, allowedPart }: GuardedOperation,
  compile: (allowed: AllowedPart) => CompiledOperation,
): CompiledOperation {
  const variants = new Map<string, CompiledOperation>();
  const variantFor = async ({ authorization }: RequestContext): Promise<CompiledOperation> => {
    const unmet = await unmetBy(authorization, rules);
    if (unmet.size === 0) return whole;
    const key = rules.map((rule) => (unmet.has(rule) ? '1' : '0')).join('');
    const known = variants.get(key);
    if (known) return known;
    const variant = compile(allowedPart(unmet));
    if (variants.size >= MAX_VARIANTS) variants.clear();
    variants.set(key, variant);
    return variant;
  };
  const { executeInParts } = whole;
  return {
    execute: (variables, context) => catchRefusal(async () => (await variantFor(context)).execute(variables, context)),
    subscribe: (variables, context) => catchRefusal(async () => (await variantFor(context)).subscribe(variables, context)),
    ...(executeInParts && {
      executeInParts: (variables, context) =>
        catchRefusal(async () => {
          const { execute, executeInParts: inParts = execute } = await variantFor(context);
          return inParts(variables, context);
        }),
    }),
  };
}

const nobody: Authorization = { isAuthenticated: false };

/** The rules that a caller does not meet. Without an authorization the caller meets none. */
async function unmetBy(authorization: Authorization = nobody, rules: readonly AccessRule[]): Promise<ReadonlySet<AccessRule>> {
  const scopes = new Set(authorization.scopes);
  const asked = new Set(rules.flatMap(({ policies = [] }) => policies.flat()));
  const policies = new Set(asked.size > 0 ? await authorization.policies?.([...asked]) : undefined);
  const isMet = (rule: AccessRule) =>
    (!rule.isAuthenticated || authorization.isAuthenticated) && hasAny(rule.scopes, scopes) && hasAny(rule.policies, policies);
  return new Set(rules.filter((rule) => !isMet(rule)));
}

const hasAny = (lists: AnyOf | undefined, held: ReadonlySet<string>): boolean =>
  lists === undefined || lists.some((all) => all.every((each) => held.has(each)));
