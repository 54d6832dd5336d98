import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt, PropertyOptions } from '@mikro-orm/postgresql';
import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { ValueOf } from '../fields/index.ts';
import { clock } from './clock.ts';
import 'reflect-metadata';
import { v7 as uuid } from 'uuid';

/** The types of columns, with those of their public fields. `count` and `credits` are numbers that PostgreSQL stores exactly. */
const types = {
  string: { field: String },
  text: { field: String },
  uuid: { field: ID },
  integer: { field: Int },
  smallint: { field: Int },
  count: { field: Int, type: 'bigint', runtimeType: 'number' },
  bigint: { field: String },
  double: { field: Float },
  credits: { field: Float, type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' },
  decimal: { field: Float, runtimeType: 'number' },
  numeric: { field: String, type: 'decimal' },
  boolean: { field: Boolean },
  datetime: { field: Date },
  date: { field: String },
  array: { field: [String] },
  uuids: { field: [ID], type: 'array', columnType: 'uuid[]' },
  json: { field: undefined },
  blob: { field: undefined },
} as const;

type ColumnType = keyof typeof types;

interface ValuesOf {
  bigint: string;
  json: unknown;
  blob: Buffer;
}
type ColumnValue<C> = C extends keyof ValuesOf
  ? ValuesOf[C]
  : C extends ColumnType
    ? FieldValue<(typeof types)[C]['field']>
    : FieldValue<C>;
type FieldValue<G> = G extends readonly (infer Each)[] ? ValueOf<Each>[] : ValueOf<G>;

interface ColumnOptions extends Omit<PropertyOptions<object>, 'name' | 'nullable' | 'type'> {
  /** The type of the column. By default it is text. */
  type?: ColumnType;
  nullable?: true;
  /** A column that a read may leave out. */
  optional?: true;
  /** The value of a new row. That of a nullable column is null. */
  initial?: unknown;
  description?: string;
  /** The name of the field, if it differs from that of the property. */
  exposedAs?: string;
  /** The length of a list that cost analysis assumes. */
  assumedSize?: number;
}

/** A column of a table. `T` is the TypeScript type of its values without null; `O` are its options. */
interface Column<T, O> {
  field: unknown;
  options: O & ColumnOptions;
  /** Narrow the TypeScript type, for example of a JSON value. */
  as<U>(): Column<U, O>;
  /** Only for inference. */
  values?: T[];
}

type Columns = Record<string, Column<unknown, ColumnOptions>>;
type Value<D> =
  D extends Column<infer T, infer O>
    ? O extends { nullable: true }
      ? T | null
      : O extends { initial: unknown }
        ? Opt<T>
        : T
    : never;
type Row<F> = { [K in keyof F as F[K] extends Column<unknown, { optional: true }> ? never : K]: Value<F[K]> } & {
  [K in keyof F as F[K] extends Column<unknown, { optional: true }> ? K : never]?: Value<F[K]>;
};

/** A public column: a field of the graph and a column of the table. Its type is that of the column, or of the field. */
export function column<const C extends ColumnType | object>(type: C, description?: string): Column<ColumnValue<C>, object>;
export function column<const C extends ColumnType | object, const O extends ColumnOptions>(
  type: C,
  options: O,
): Column<ColumnValue<C>, O>;
export function column(type: ColumnType | object, options: ColumnOptions | string = {}): Column<unknown, ColumnOptions> {
  return declare(typeof type === 'string' ? types[type].field : type, type, options);
}

/** A private column. */
export const hidden = <const C extends ColumnType, const O extends ColumnOptions = object>(type: C, options: O = {} as O) =>
  declare<ColumnValue<C>, O>(undefined, type, options);

function declare<T, O extends ColumnOptions>(field: unknown, of: ColumnType | object, given: O | string): Column<T, O> {
  const options = typeof given === 'string' ? ({ description: given } as O) : given;
  const all = typeof of === 'string' ? { type: of, ...options } : options;
  return { field, options: all, as: () => declare(field, of, options) };
}

/** Columns of the times at which a row was created and last changed. */
export const timestamps = {
  createdAt: column('datetime', { initial: clock.now }),
  updatedAt: column('datetime', { initial: (row: { createdAt: Date }) => row.createdAt, onUpdate: clock.now }),
};

const declared = new Map<object, { parent: object | undefined; columns: Columns }>();

// biome-ignore lint/suspicious/noExplicitAny: constructors of entities have no parameters, which TypeScript cannot express for abstract ones
type Base<P> = abstract new (...none: any[]) => P;

/** The base class of an entity with these columns, which follow those of `parent`. The entity must be a `Table`. */
export function columns<F extends Columns>(all: F): new () => Row<F>;
export function columns<P extends object, F extends Columns>(parent: Base<P>, all: F): new () => P & Row<F>;
export function columns(...args: [Columns] | [Base<object>, Columns]): new () => object {
  const [parent, all] = args.length === 2 ? args : [undefined, args[0]];
  const initials = Object.entries(all).flatMap(([name, { options }]) => {
    if ('initial' in options) return [[name, options.initial] as const];
    return options.nullable && !options.optional ? [[name, null] as const] : [];
  });
  const Columns = class extends ((parent ?? Object) as new () => Record<string, unknown>) {
    constructor() {
      super();
      for (const [name, initial] of initials) this[name] = typeof initial === 'function' ? initial(this) : structuredClone(initial);
    }
  };
  // MikroORM takes a class without a name for no entity.
  Object.defineProperty(Columns, 'name', { value: '' });
  // An object type inherits the fields of `parent` only through object types.
  ObjectType('Columns')(Columns);
  declared.set(Columns, { parent, columns: all });
  return Columns;
}

/** Declares the entity of a table, for example `catalog.jobs`, or an abstract entity, with the columns of its base class. */
export const Table =
  (name?: string): ClassDecorator =>
  (entity) => {
    const [schema, tableName] = name?.split('.') ?? [];
    const { parent, columns } = declared.get(Object.getPrototypeOf(entity)) ?? { parent: undefined, columns: {} };
    for (const [key, { field, options }] of Object.entries(columns)) {
      const { description, exposedAs, nullable, optional: _, initial: __, assumedSize, type = 'string', ...rest } = options;
      const { field: ___, ...column } = types[type];
      Property({ type, ...column, ...rest, nullable })(entity.prototype as object, key);
      if (field === undefined) continue;
      Field(() => typeOf(field) as never, { name: exposedAs, nullable, description })(entity.prototype as object, key);
      if (assumedSize !== undefined) Directive(`@listSize(assumedSize: ${assumedSize})`)(entity.prototype as object, key);
    }
    Entity({ ...(name ? { schema, tableName } : { abstract: true }), ...(parent && { extends: parent as never }) })(
      entity as never,
    );
  };

/** A function of an arrow has no prototype; it returns a class that is declared further below. */
const typeOf = (type: unknown): unknown => (typeof type === 'function' && !type.prototype ? type() : type);

/**
 * Marks an entity whose rows belong to one organization. The entity manager of a scope restricts every find, count, update and delete to
 * its organization. Without a scope, such an entity cannot be read.
 */
export const Tenant = (): ClassDecorator =>
  Filter({ name: 'organization', cond: (scope) => ({ organizationId: scope.id }), default: true }) as ClassDecorator;

/**
 * Marks an entity whose rows belong to one workspace, named by `property`. A key that is bound to a workspace finds and changes no other
 * rows. Other callers are not restricted.
 */
export const OfWorkspace = (property: string): ClassDecorator =>
  Filter({
    name: 'workspace',
    // Absent for callers that are not restricted.
    cond: (bound) => (bound ? ({ [property]: bound.id } as object) : {}),
    args: false,
    default: true,
  }) as ClassDecorator;

/** Marks an entity whose deleted rows have a `deletedAt` until a sweep removes them. No read finds them. */
export const SoftDeleted = (): ClassDecorator =>
  Filter({ name: 'present', cond: () => ({ deletedAt: null }) as object, default: true }) as ClassDecorator;

/** Base class of entities with an id that belong to one organization. */
@ObjectType()
@Tenant()
export abstract class Owned {
  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  id: Opt<string> = uuid();

  @Property({ type: 'uuid' })
  organizationId!: string;
}
