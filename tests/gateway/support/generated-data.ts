import { createHash } from 'node:crypto';
import type { GraphQLFieldResolver, GraphQLOutputType, GraphQLSchema, GraphQLTypeResolver, SelectionSetNode } from 'graphql';
import { isAbstractType, isEnumType, isListType, isNonNullType, isObjectType, Kind, parse } from 'graphql';

/** Fault rates in percent. Without faults all subgraphs return consistent data. */
export interface Mishaps {
  /** Null for nullable fields. */
  nulls: number;
  /** Null for non-null fields. */
  wrongNulls: number;
  errors: number;
  /** Unknown entities; half as many fail. */
  missing: number;
  /** Items of lists that fail. */
  failedItems?: number;
}

type Row = Record<string, unknown>;

const ids: Record<string, string[]> = Object.fromEntries(
  ['User', 'Robot', 'Doc', 'Org', 'Book', 'Toy', 'Review'].map((type) => [type, [0, 1, 2].map((at) => type + at)]),
);
ids.Item = [...ids.Book!, ...ids.Toy!];

/** The type that an id belongs to; interface objects do not know it. */
const typeOfId = (id: string) => id.replace(/\d+$/, '');

/** Values for every field of a schema, generated from a seed; all subgraphs return the same value for the same object. */
export class MadeUp {
  /** Operations that select a field with requirements. */
  static readonly requiring = /\b(discount|worth|rating|summary|badge)\b/;

  constructor(
    private readonly full: GraphQLSchema,
    private readonly seed: number,
    private readonly mishaps: Mishaps,
  ) {}

  /** Finds an entity of one subgraph by its key. */
  resolveReference(subgraph: string, reference: Row): Row | null {
    const id = String(reference.id ?? String(reference.email).split('@')[0]);
    if (this.chance(this.mishaps.missing, `${subgraph} has ${id}`)) return null;
    if (this.chance(this.mishaps.missing / 2, `${subgraph} finds ${id}`)) throw new Error(`${subgraph} cannot find ${id}`);
    // An interface knows the types of its ids, an interface object does not.
    const known = String(reference.__typename);
    return { ...reference, ...this.entity(known === 'Item' && subgraph === 'shop' ? typeOfId(id) : known, id) };
  }

  /** In a subgraph, the representation contains the required fields. */
  get subgraph(): Resolving {
    return {
      typeResolver: typeOf,
      fieldResolver: (source, args, _, { parentType, fieldName }) =>
        source && Object.hasOwn(source, fieldName)
          ? source[fieldName]
          : this.field(source, parentType.name, fieldName, args, (required) => picked(source, required)),
    };
  }

  /** In the monolithic schema, required fields are looked up, and inaccessible fields do not exist. */
  get one(): Resolving {
    return {
      typeResolver: typeOf,
      fieldResolver: (source, args, _, { parentType, fieldName, returnType }) => {
        if (source && Object.hasOwn(source, fieldName)) return source[fieldName];
        const value = this.field(source, parentType.name, fieldName, args, (required) => this.lookedUp(source!, required));
        // Two versions of GraphQL.js call it, so the class of the type is not known.
        return 'getValue' in returnType && !returnType.getValue(String(value)) ? null : value;
      },
    };
  }

  private field(source: Row | undefined, type: string, name: string, args: Row, require: (fields: SelectionSetNode) => unknown) {
    const required = requirements[name];
    const at = `${source?.$ ?? ''}.${name}${JSON.stringify(args)}`;
    const given = required && JSON.stringify(require(required));
    if (this.chance(this.mishaps.errors, `error at ${at}`)) throw new Error(`No ${name}`);
    return this.value((this.full.getType(type) as never as Fielded).getFields()[name]!.type, `${at}${given ?? ''}`);
  }

  private value(type: GraphQLOutputType, at: string): unknown {
    if (isNonNullType(type))
      return this.chance(this.mishaps.wrongNulls, `wrong null at ${at}`) ? null : this.present(type.ofType, at);
    return this.chance(this.mishaps.nulls, `null at ${at}`) ? null : this.present(type, at);
  }

  private present(type: GraphQLOutputType, at: string): unknown {
    if (isListType(type))
      return Array.from({ length: this.pick(4, `length of ${at}`) }, (_, index) => this.item(type.ofType, `${at}[${index}]`));
    if (isEnumType(type)) return this.oneOf(type.getValues(), at).name;
    if (isAbstractType(type)) return this.present(this.oneOf([...this.full.getPossibleTypes(type)], `type of ${at}`), at);
    if (isObjectType(type))
      return ids[type.name] ? this.entity(type.name, this.oneOf(ids[type.name]!, at)) : { __typename: type.name, $: at };
    return this.scalar(String(type), at);
  }

  private item(type: GraphQLOutputType, at: string): unknown {
    return this.chance(this.mishaps.failedItems ?? 0, `error in ${at}`) ? new Error(`No ${at}`) : this.value(type, at);
  }

  private scalar(name: string, at: string): unknown {
    const number = this.pick(100, at);
    if (name === 'Int') return number;
    if (name === 'Float') return number / 4;
    if (name === 'JSON') return [number, { a: null, __typename: 'no' }, [number]][number % 3];
    return number % 7 === 0 ? `"${number}"\n` : `word ${number}`;
  }

  private entity(__typename: string, id: string): Row {
    const more =
      typeOfId(id) === 'User' ? { email: `${id}@x` } : typeOfId(id) === 'Doc' ? { org: this.entity('Org', `Org${id.at(-1)}`) } : {};
    return { __typename, $: id, id, ...more };
  }

  private lookedUp(source: Row, { selections }: SelectionSetNode): unknown {
    const type = this.full.getType(typeOfId(String(source.$))) ?? this.full.getType(String(source.__typename));
    return Object.fromEntries(
      selections.flatMap((selection) => {
        if (selection.kind !== Kind.FIELD) return [];
        const name = selection.name.value;
        const field = (type as never as Fielded).getFields()[name]!;
        const args = Object.fromEntries(field.args.map((arg) => [arg.name, arg.defaultValue]));
        for (const { name: arg, value } of selection.arguments ?? []) args[arg.value] = (value as { value?: unknown }).value;
        const value = Object.hasOwn(source, name)
          ? source[name]
          : this.field(source, (type as { name: string }).name, name, args, () => ({}));
        return [[name, selection.selectionSet && value ? this.lookedUp(value as Row, selection.selectionSet) : value]];
      }),
    );
  }

  private oneOf<T>(list: readonly T[], at: string): T {
    return list[this.pick(list.length, `one of ${at}`)]!;
  }

  private chance(percent: number, of: string): boolean {
    return percent > 0 && this.pick(100, of) < percent;
  }

  private pick(below: number, of: string): number {
    return createHash('md5').update(`${this.seed} ${of}`).digest().readUInt32BE() % below;
  }
}

interface Resolving {
  fieldResolver: GraphQLFieldResolver<Row | undefined, unknown>;
  typeResolver: GraphQLTypeResolver<Row, unknown>;
}

const typeOf: Resolving['typeResolver'] = (value) => String(value.__typename);

interface Fielded {
  getFields(): Record<string, { type: GraphQLOutputType; args: { name: string; defaultValue?: unknown }[] }>;
}

const fields = (text: string) => (parse(`{ ${text} }`).definitions[0] as { selectionSet: SelectionSetNode }).selectionSet;

/** Requirements in `world.ts`. */
const requirements: Record<string, SelectionSetNode> = {
  discount: fields('age home { zip }'),
  worth: fields('price(currency: USD)'),
  rating: fields('serial'),
  summary: fields('title'),
  badge: fields('rank'),
};

function picked(source: Row | undefined | null, { selections }: SelectionSetNode): unknown {
  if (!source) return source;
  return Object.fromEntries(
    selections.flatMap((each) => {
      if (each.kind !== Kind.FIELD) return [];
      const value = source[each.name.value] ?? null;
      return [[each.name.value, each.selectionSet ? picked(value as Row | null, each.selectionSet) : value]];
    }),
  );
}
