/**
 * type-graphql 2.0.0-rc.4: its resolvers sort their parameters, search the metadata and await several promises for each call, which costs
 * more than the services of most fields. Upstream would have to compile a resolver once, when it builds the schema, and to read fields
 * that are properties without a resolver. Reads the metadata storage, which is exported but not documented.
 */
import type { GraphQLResolverMap } from '@apollo/subgraph';
import type { GraphQLResolveInfo } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import type { Level } from '../../identity/index.ts';
import { checkLimits } from '../../input/index.ts';
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
 * Replace the resolvers of type-graphql in the map of a subgraph by plain functions. They stay for fields with middleware, and for calls
 * with lists or objects.
 */
export function replaceHandlers(resolvers: GraphQLResolverMap<unknown>, classes: readonly unknown[], authorize: Authorize): void {
  const instances = new Map<unknown, Record<string, (...values: unknown[]) => unknown>>();
  for (const { owner, handler } of handlersOf(classes)) {
    const fields = resolvers[owner] as Record<string, unknown> | undefined;
    const general = fields?.[handler.schemaName];
    if (!fields || typeof general !== 'function' || handler.middlewares?.length) continue;
    const parameters = handler.params?.toSorted((a, b) => a.index - b.index).map(parameterReader) ?? [];
    if (!parameters.every((read) => read !== undefined)) continue;
    const instance = instances.get(handler.target) ?? new (handler.target as new () => never)();
    instances.set(handler.target, instance);
    fields[handler.schemaName] = compileHandler(instance, handler, parameters, general as Resolve, authorize);
  }
}

function compileHandler(
  instance: Record<string, (...values: unknown[]) => unknown>,
  { methodName, roles }: Handler,
  parameters: readonly ReadParameter[],
  general: Resolve,
  authorize: Authorize,
): Resolve {
  const method = instance[methodName]!;
  return (root, args, scope, info) => {
    // Only type-graphql creates instances of nested input types.
    for (const name in args) if (typeof args[name] === 'object' && args[name] !== null) return general(root, args, scope, info);
    if (roles) authorize(scope, roles);
    return method.apply(
      instance,
      parameters.map((read) => read(root, args, scope, info)),
    );
  };
}

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
      return (_root, args) => args[parameter.name];
    case 'args':
      return argumentsReader(parameter.getType() as Class);
    default:
      return undefined;
  }
}

function argumentsReader(type: Class): ReadParameter {
  const { argumentTypes } = getMetadataStorage();
  const declared = argumentTypes.filter(({ target }) => type === target || type.prototype instanceof target);
  const names = declared.flatMap(({ fields = [] }) => fields.map(({ name }) => name));
  return (_root, args) => {
    const instance = new type();
    for (const name of names) if (args[name] !== undefined) instance[name] = args[name];
    checkLimits(instance);
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
