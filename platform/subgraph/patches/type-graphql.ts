/**
 * type-graphql 2.0.0-rc.4: its resolvers sort their parameters, search the metadata and await several promises for each call, which costs
 * more than the services of most fields, and convert and validate inputs in two walks. Upstream would have to compile a resolver once,
 * when it builds the schema, and to read fields that are properties without a resolver. Reads the metadata storage, which is exported but not documented.
 */
import type { GraphQLResolverMap } from '@apollo/subgraph';
import type { GraphQLResolveInfo } from 'graphql';
import { getMetadataStorage, type MiddlewareFn } from 'type-graphql';
import { checkLimits, isWithin, limitsOf } from '../../fields/index.ts';
import type { Level } from '../../identity/index.ts';
import type { RequestScope } from '../../scope/index.ts';

type Arguments = Record<string, unknown>;
type Resolve = (root: unknown, args: Arguments, scope: RequestScope, info: GraphQLResolveInfo) => unknown;
/** Reads one parameter of a resolver method. */
type ReadParameter = Resolve;
type Storage = ReturnType<typeof getMetadataStorage>;
type Handler = Storage['queries'][number];
type Parameter = NonNullable<Handler['params']>[number];
type Class = new () => Record<string, unknown>;

/** Throws if the caller must not resolve the field. */
type Authorize = (scope: RequestScope, levels: Level[]) => void;

/**
 * Replace the resolvers of type-graphql in the map of a subgraph by plain functions. They stay for middleware and parameters of a
 * kind that the product does not use.
 */
export function replaceHandlers(resolvers: GraphQLResolverMap<unknown>, classes: readonly unknown[], authorize: Authorize): void {
  const instances = new Map<unknown, Record<string, (...values: unknown[]) => unknown>>();
  for (const { owner, handler } of handlersOf(classes)) {
    const fields = resolvers[owner] as Record<string, unknown> | undefined;
    if (!fields || typeof fields[handler.schemaName] !== 'function') continue;
    const middlewares = handler.middlewares ?? [];
    if (middlewares.length > 1 || middlewares.some(({ prototype }) => prototype !== undefined)) continue;
    const parameters = handler.params?.toSorted((a, b) => a.index - b.index).map(parameterReader) ?? [];
    if (!parameters.every((read) => read !== undefined)) continue;
    const instance = instances.get(handler.target) ?? new (handler.target as new () => never)();
    instances.set(handler.target, instance);
    fields[handler.schemaName] = compileHandler(instance, handler, parameters, authorize);
  }
}

function compileHandler(
  instance: Record<string, (...values: unknown[]) => unknown>,
  { methodName, roles, middlewares }: Handler,
  parameters: readonly ReadParameter[],
  authorize: Authorize,
): Resolve {
  const method = instance[methodName]!;
  const call: Resolve = (root, args, scope, info) =>
    method.apply(
      instance,
      parameters.map((read) => read(root, args, scope, info)),
    );
  const middleware = middlewares?.[0] as MiddlewareFn<RequestScope> | undefined;
  const resolve = middleware ? around(call, middleware) : call;
  if (!roles) return resolve;
  return (root, args, scope, info) => {
    authorize(scope, roles);
    return resolve(root, args, scope, info);
  };
}

/** A middleware may change the action, and replaces the result unless it returns undefined. */
const around =
  (resolve: Resolve, middleware: MiddlewareFn<RequestScope>): Resolve =>
  async (root, args, context, info) => {
    const action = { root, args, context, info };
    let inner: unknown;
    const outer = await middleware(action, async () => (inner = await resolve(action.root, action.args, action.context, info)));
    return outer === undefined ? inner : outer;
  };

/** Undefined for kinds of parameters that the product does not use. */
function parameterReader(parameter: Parameter): ReadParameter | undefined {
  switch (parameter.kind) {
    case 'context':
      return parameter.propertyName === undefined ? (_root, _args, scope) => scope : undefined;
    case 'root':
      return parameter.propertyName === undefined && !parameter.getType ? (root) => root : undefined;
    case 'info':
      return (_root, _args, _scope, info) => info;
    case 'arg':
      return parameter.validateFn ? undefined : argumentReader(parameter.name, parameter.getType());
    case 'args':
      return parameter.validateFn ? undefined : argumentsReader(parameter.getType() as Class);
    default:
      return undefined;
  }
}

function argumentReader(name: string, type: unknown): ReadParameter {
  const convert = converterOf(type);
  return convert ? (_root, args) => within(convert, args[name]) : (_root, args) => args[name];
}

function argumentsReader(type: Class): ReadParameter {
  const convert = compileClass(type, getMetadataStorage().argumentTypes);
  return (_root, args) => within(convert, args);
}

/** Creates the instances of an input from its objects, and notes in the walk whether a value violates its limit. */
type Convert = (value: unknown, walk: { isWithinLimits: boolean }) => unknown;

function within(convert: Convert, value: unknown): unknown {
  const walk = { isWithinLimits: true };
  const converted = convert(value, walk);
  if (!walk.isWithinLimits) checkLimits(converted);
  return converted;
}

const converters = new Map<unknown, Convert>();

/** Converts the objects of an input type, and lists of them; undefined for other types, whose values stay as they are. */
function converterOf(type: unknown): Convert | undefined {
  const { inputTypes } = getMetadataStorage();
  if (converters.has(type) || !inputTypes.some(({ target }) => target === type)) return converters.get(type);
  const convert: Convert = (value, walk) => {
    if (value === null || value === undefined) return value;
    return Array.isArray(value) ? value.map((each) => convert(each, walk)) : ofObject(value, walk);
  };
  // Types may be recursive.
  converters.set(type, convert);
  const ofObject = compileClass(type as Class, inputTypes);
  return convert;
}

/**
 * Creates the same instances as type-graphql: absent fields are absent, and the others have the order of the fields of the class, which
 * decides which faults come first. The constructor does not run, because it would set absent fields.
 */
function compileClass(type: Class, declarations: Storage['inputTypes']): Convert {
  const initial = new type();
  const values = Object.keys(initial).filter((name) => initial[name] !== undefined);
  if (values.length > 0) throw new TypeError(`${type.name}: give ${values} a default value in the schema instead of the class`);

  const limits = limitsOf(type);
  const declared = new Map<string, Convert | undefined>();
  for (let each: Class = type; each.prototype; each = Object.getPrototypeOf(each)) {
    const { fields = [] } = declarations.find(({ target }) => target === each) ?? {};
    for (const { name, getType } of fields) if (!declared.has(name)) declared.set(name, converterOf(getType()));
  }
  const fields = [...new Set([...Object.keys(initial), ...declared.keys()])]
    .filter((name) => declared.has(name))
    .map((name) => ({ name, convert: declared.get(name), limit: limits.get(name) }));

  return (given, walk) => {
    const data = given as Arguments;
    const instance = Object.create(type.prototype);
    for (const { name, convert, limit } of fields) {
      const value = convert ? convert(data[name], walk) : data[name];
      if (value === undefined) continue;
      instance[name] = value;
      if (limit && walk.isWithinLimits && !isWithin(limit, value)) walk.isWithinLimits = false;
    }
    return instance;
  };
}

/** The resolver methods of these classes, with the names of their types. */
function* handlersOf(classes: readonly unknown[]): Generator<{ owner: string; handler: Handler }> {
  const { queries, mutations, fieldResolvers, objectTypes } = getMetadataStorage();
  for (const handler of queries) if (classes.includes(handler.target)) yield { owner: 'Query', handler };
  for (const handler of mutations) if (classes.includes(handler.target)) yield { owner: 'Mutation', handler };
  for (const { getObjectType, resolverClassMetadata, ...handler } of fieldResolvers) {
    if (handler.kind !== 'external' || !classes.includes(handler.target)) continue;
    const type = (getObjectType ?? resolverClassMetadata?.getObjectType)?.();
    const owner = objectTypes.find(({ target }) => target === type)?.name;
    if (owner !== undefined) yield { owner, handler: handler as unknown as Handler };
  }
}

/** Declares the classes of `args`, which need no decorator: `@Args` names them. Call it before the schema is built. */
export function declareArguments(): void {
  const storage = getMetadataStorage();
  for (const parameter of storage.params) {
    if (parameter.kind !== 'args') continue;
    const target = parameter.getType() as Class;
    if (!storage.argumentTypes.some((each) => each.target === target)) storage.collectArgsMetadata({ name: target.name, target });
  }
}

/**
 * Order the fields of the schema by their resolver classes, which would else follow the order in which files were loaded. The fields of an
 * abstract class follow those of its first subclass. Call it before the schema is built.
 */
export function orderFields(classes: readonly unknown[]): void {
  const storage = getMetadataStorage();
  const rankOf = (target: object) =>
    classes.findIndex((each) => each === target || Object.prototype.isPrototypeOf.call(target, each as object));
  const ordered = <T extends { target: object }>(all: T[]): T[] => {
    const others = all.filter(({ target }) => rankOf(target) < 0);
    const own = all.filter(({ target }) => rankOf(target) >= 0);
    return [...others, ...own.toSorted((a, b) => rankOf(a.target) - rankOf(b.target))];
  };
  storage.queries = ordered(storage.queries);
  storage.mutations = ordered(storage.mutations);
  storage.subscriptions = ordered(storage.subscriptions);
  storage.fieldResolvers = ordered(storage.fieldResolvers);
}

/**
 * Let fields that are properties of their object have no resolver. By default type-graphql creates one, for which graphql-jit allocates
 * closures, a path and a resolve info for each value. Lists keep theirs, because `countLists` counts them. Properties must not be promises.
 * Call it before the schema is built.
 */
export function readPlainFields(): void {
  const { fields, authorizedFields, middlewares } = getMetadataStorage();
  for (const field of fields) {
    const { target, name, schemaName, typeOptions } = field;
    const isGuarded = [...authorizedFields, ...middlewares].some((each) => each.target === target && each.fieldName === name);
    field.simple ??= name === schemaName && !typeOptions.array && !isGuarded;
  }
}
