import type { DirectiveNode, DocumentNode, FragmentDefinitionNode, SelectionNode, SelectionSetNode } from 'graphql';
import { GraphQLError, Kind } from 'graphql';

/** Limits of one operation. All but `characters` and `tokens` count with fragments expanded. */
export interface Limits {
  /** Characters of the document. */
  characters: number;
  tokens: number;
  depth: number;
  fields: number;
  rootFields: number;
  aliases: number;
  directives: number;
  /** Occurrences of one field without an alias in one selection set, including `__typename`. */
  repeats: number;
  /** Occurrences of one field with an alias in one selection set. */
  sameAliased: number;
  /** Fields multiplied by list sizes; see `cost.ts`. */
  cost: number;
  /** Assumed size of a list when neither arguments nor the schema define it. */
  listSize: number;
}

export const defaultLimits: Limits = {
  characters: 100_000,
  tokens: 5_000,
  depth: 15,
  fields: 2_000,
  rootFields: 30,
  aliases: 100,
  directives: 50,
  repeats: 100,
  sameAliased: 30,
  cost: 250_000,
  listSize: 10,
};

type Counted = 'depth' | 'fields' | 'aliases' | 'directives';
type Weight = Record<Counted, number> & {
  /** Occurrences of each field in this selection set; aliased ones count separately. */
  uses: Map<string, number>;
};

/**
 * Count the fields of a document, with fragments expanded. Throws when the document exceeds a limit. It runs before validation,
 * whose rules take more than linear time. Each fragment is counted once, so nested fragments cannot cause exponential work.
 */
export function countFields(document: DocumentNode, limits: Limits): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions) if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  const weighed = new Map<string, Weight>();

  const weighFragment = (name: string, level: number): Weight => {
    const known = weighed.get(name);
    if (known) return known;
    // A fragment cycle counts nothing here; validation rejects it.
    weighed.set(name, emptyWeight());
    const fragment = fragments.get(name);
    if (level > fragmentNesting) throw refusal(`Fragments may be nested ${fragmentNesting} deep`);
    const weight = fragment ? weigh(fragment.selectionSet, 1, level + 1, fragment.directives) : emptyWeight();
    weighed.set(name, weight);
    return weight;
  };

  const weighSelection = (selection: SelectionNode, depth: number, level: number): Weight => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return weighFragment(selection.name.value, level);
    if (selection.kind === Kind.INLINE_FRAGMENT) return weigh(selection.selectionSet, depth, level + 1);
    const { name, alias, selectionSet } = selection;
    const below = selectionSet ? weigh(selectionSet, depth + 1, level) : emptyWeight();
    const aliased = alias !== undefined && alias.value !== name.value;
    return {
      depth: below.depth + 1,
      fields: below.fields + 1,
      aliases: below.aliases + Number(aliased),
      directives: below.directives,
      uses: new Map([[aliased ? `${name.value}:` : name.value, 1]]),
    };
  };

  const weigh = (set: SelectionSetNode, depth: number, level: number, directives: readonly DirectiveNode[] = []): Weight => {
    const total = emptyWeight(directives.length);
    if (depth > limits.depth) throw limitExceeded('depth', limits);
    if (level > fragmentNesting) throw refusal(`Fragments may be nested ${fragmentNesting} deep`);
    for (const selection of set.selections) {
      if (selection.directives?.some(({ name }) => name.value === 'stream')) throw refusal(NO_STREAM);
      total.directives += selection.directives?.length ?? 0;
      add(total, weighSelection(selection, depth, level), limits);
    }
    return total;
  };

  let total = 0;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) weighFragment(definition.name.value, 0);
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { uses, fields } = weigh(definition.selectionSet, 1, 0, definition.directives);
    const roots = [...uses.values()].reduce((sum, count) => sum + count, 0);
    if (roots > limits.rootFields) throw refusal(`An operation may have at most ${limits.rootFields} fields at its root`);
    // Each introspection of the schema takes about 40 ms and 200 kB.
    if ((uses.get('__schema') ?? 0) + (uses.get('__schema:') ?? 0) > 1) throw refusal('An operation may select __schema once');
    total += fields;
  }
  return total;
}

const fragmentNesting = 50;
const NO_STREAM = '@stream is not supported: ask for a page of the list, or defer a fragment with @defer';

const refusal = (message: string) => new GraphQLError(message, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });

const sentences: Record<Counted, (most: number) => string> = {
  depth: (most) => `An operation may be at most ${most} levels deep`,
  fields: (most) => `An operation may select at most ${most} fields, fragments written out`,
  aliases: (most) => `An operation may have at most ${most} aliases`,
  directives: (most) => `An operation may have at most ${most} directives`,
};
const limitExceeded = (what: Counted, limits: Limits) => refusal(sentences[what](limits[what]));

const emptyWeight = (directives = 0): Weight => ({ depth: 0, fields: 0, aliases: 0, directives, uses: new Map() });

/** Add a part to the total. Throws at the first exceeded limit, so counting stops early. */
function add(total: Weight, part: Weight, limits: Limits): void {
  total.depth = Math.max(total.depth, part.depth);
  total.fields += part.fields;
  total.aliases += part.aliases;
  total.directives += part.directives;
  for (const what of ['depth', 'fields', 'aliases', 'directives'] as const) {
    if (total[what] > limits[what]) throw limitExceeded(what, limits);
  }
  for (const [field, count] of part.uses) {
    const uses = (total.uses.get(field) ?? 0) + count;
    const most = field.endsWith(':') ? limits.sameAliased : limits.repeats;
    if (uses > most) throw refusal(`The field ${field.replace(':', '')} may be selected at most ${most} times in one place`);
    total.uses.set(field, uses);
  }
}
