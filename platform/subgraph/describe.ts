import { isDeepStrictEqual } from 'node:util';
import type { GraphQLResolverMap } from '@apollo/subgraph';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isNullableType,
  isObjectType,
} from 'graphql';
import { Extensions, getMetadataStorage } from 'type-graphql';
import { ACCESS, CONSTRAINT, SEMANTIC_NON_NULL } from '../../schema/directives.ts';
import { errors, requestErrors } from '../../schema/errors.ts';
import { allFaults, type Limit, limitFaults, limitsOf, refuseFaults } from '../fields/index.ts';
import { IDEMPOTENT, type KeyOwner } from '../idempotency/index.ts';
import type { Level } from '../identity/index.ts';

const callers: Record<Level, string | undefined> = {
  public: 'Needs no API key.',
  user: 'Needs no organization.',
  member: undefined,
  admin: 'Only for owners and admins.',
  owner: 'Only for owners.',
  agent: undefined,
  operator: "Needs an operator's key.",
};

const keyOwners: Record<KeyOwner, string> = {
  organization: 'Accepts an `Idempotency-Key`.',
  user: 'Accepts an `Idempotency-Key`.',
  visitor: 'Accepts an `Idempotency-Key` together with a `visitorId`.',
  form: 'Accepts an `Idempotency-Key`, which must be random.',
};

const codes = Object.keys({ ...errors, ...requestErrors }).join(', ');

/** Agents are no callers of the API, whose members may use their fields. */
const shown = (level: Level): string => (level === 'agent' ? 'member' : level);

const NULL_IS_ANSWER = 'nullIsAnswer';

/** Declares a nullable root field to be null also without an error. All other nullable ones are null only if they fail. */
export const NullIsAnswer = () => Extensions({ [NULL_IS_ANSWER]: true });

/**
 * Append to the description of each root field who may call it, and whether it accepts an `Idempotency-Key`. The directive `@access` tells the
 * first to programs, and `@semanticNonNull` that a nullable root field has a value unless it failed.
 */
export function describeSchema(schema: GraphQLSchema): void {
  const query = schema.getQueryType();
  if (query) query.description = `Every error has one of these codes in \`extensions.code\`: ${codes}.`;
  const { queries, mutations, subscriptions } = getMetadataStorage();
  const fields = {
    ...fieldsOf(schema.getQueryType()),
    ...fieldsOf(schema.getMutationType()),
    ...fieldsOf(schema.getSubscriptionType()),
  };
  for (const field of Object.values(fieldsOf(query) ?? {}))
    if (isNullableType(field.type) && !(NULL_IS_ANSWER in field.extensions)) applyDirective(field, SEMANTIC_NON_NULL, {});
  for (const { schemaName, roles: [level = 'member'] = [] } of [...queries, ...mutations, ...subscriptions]) {
    const field = fields[schemaName];
    if (!field) continue;
    field.description = sentences(field, callers[level as Level]);
    if (level === 'public') continue;
    applyDirective(field, ACCESS, { level: shown(level as Level) });
  }
}

function applyDirective(field: GraphQLField<unknown, unknown>, name: string, given: object): void {
  const directives = { ...(field.extensions.directives as object), [name]: given };
  field.extensions = { ...field.extensions, directives };
}

const fieldsOf = (type?: { getFields(): Record<string, GraphQLField<unknown, unknown>> } | null) => type?.getFields();

function sentences({ description, extensions }: GraphQLField<unknown, unknown>, access?: string): string {
  const owner = (extensions[IDEMPOTENT] as { per: KeyOwner } | undefined)?.per;
  const retries = owner && keyOwners[owner];
  return [description, access, retries].filter(Boolean).join(' ');
}

/** Add the declared limits to a schema as `@constraint` directives, for the printed SDL. */
export function constrainSchema(schema: GraphQLSchema): void {
  const { inputTypes } = getMetadataStorage();
  for (const { name, target } of inputTypes) {
    const type = schema.getType(name);
    if (isInputObjectType(type)) constrain(limitsOf(target), (field) => type.getFields()[field]);
  }
  for (const { owner, name, argsType } of fieldsWithArguments()) {
    const type = schema.getType(owner);
    const args = isObjectType(type) ? (type.getFields()[name]?.args ?? []) : [];
    constrain(limitsOf(argsType), (argument) => args.find((each) => each.name === argument));
  }
}

type Target = GraphQLInputField | GraphQLArgument;

function constrain(limits: ReadonlyMap<string, Limit>, targetOf: (name: string) => Target | undefined): void {
  for (const [name, { pattern, faults: _, ...limit }] of limits) {
    const target = targetOf(name);
    if (!target) continue;
    const constraint = { ...limit, ...(pattern && { pattern: pattern.source }) };
    target.extensions = { ...target.extensions, directives: { [CONSTRAINT]: constraint } };
  }
}

/** All fields with an arguments class in this process, which may contain several subgraphs. */
function* fieldsWithArguments() {
  const { queries, mutations, subscriptions, fieldResolvers, objectTypes } = getMetadataStorage();
  const roots = [
    { owner: 'Query', resolvers: queries },
    { owner: 'Mutation', resolvers: mutations },
    { owner: 'Subscription', resolvers: subscriptions },
  ];
  const ofObjects = fieldResolvers.map((resolver) => {
    const target = (resolver.getObjectType ?? resolver.resolverClassMetadata?.getObjectType)?.();
    return { owner: objectTypes.find((each) => each.target === target)?.name ?? '', resolvers: [resolver] };
  });
  for (const { owner, resolvers } of [...roots, ...ofObjects]) {
    for (const { schemaName: name, params = [] } of resolvers)
      for (const param of params) if (param.kind === 'args') yield { owner, name, argsType: param.getType() };
  }
}

/**
 * Checks the declared limits of all subgraphs of this process, for the gateway. The returned function yields the faults of a value.
 * `owner` is the input type, or the field that has the argument.
 * @param faultsOf the default is for values of any type
 */
export function declaredLimits(
  faultsOf = limitFaults,
): (owner: string, name: string, value: unknown, path: string) => Iterable<string> {
  const { inputTypes, params, queries, mutations, subscriptions, fieldResolvers } = getMetadataStorage();
  const owners = new Map<string, ReadonlyMap<string, Limit>>(inputTypes.map(({ name, target }) => [name, limitsOf(target)]));
  const methods = [...queries, ...mutations, ...subscriptions, ...fieldResolvers];
  const argumentsOf = Map.groupBy(params.filter(isArguments), ({ target }) => target);
  for (const { target, methodName, schemaName } of methods) {
    const classes = argumentsOf.get(target)?.filter((each) => each.methodName === methodName) ?? [];
    const declared = classes.flatMap((each) => [...limitsOf(each.getType())]);
    owners.set(schemaName, merge(owners.get(schemaName), declared));
  }
  return (owner, name, value, path) => {
    const limit = owners.get(owner)?.get(name);
    return limit ? faultsOf(limit, value, path) : [];
  };
}

type Param = ReturnType<typeof getMetadataStorage>['params'][number];
const isArguments = (param: Param): param is Extract<Param, { kind: 'args' }> => param.kind === 'args';

/** Fields of several types share a name. The gateway skips limits on which they differ; the subgraph checks them all. */
function merge(known: ReadonlyMap<string, Limit> = new Map(), declared: [string, Limit][]): ReadonlyMap<string, Limit> {
  const all = new Map(known);
  for (const [name, limit] of declared) all.set(name, all.has(name) && !isDeepStrictEqual(all.get(name), limit) ? {} : limit);
  return all;
}

interface SubscriptionField {
  subscribe: Subscribe;
  resolve: (event: unknown) => unknown;
}
type Subscribe = (source: unknown, args: Record<string, unknown>, ...rest: unknown[]) => unknown;

/**
 * Check the limits of subscriptions when they start, because type-graphql checks arguments only at each event. An event is the value of its
 * field: access and arguments were checked at the start, and `streamAccess` ends the streams of callers who lose access.
 */
export function limitSubscriptions({ Subscription = {} }: GraphQLResolverMap<unknown>): void {
  const faultsOf = declaredLimits(allFaults);
  for (const [field, resolver] of Object.entries(Subscription as Record<string, SubscriptionField>)) {
    const { subscribe } = resolver;
    resolver.resolve = (event) => event;
    resolver.subscribe = (source, args, ...rest) => {
      refuseFaults(Object.entries(args).flatMap(([name, value]) => [...faultsOf(field, name, value, name)]));
      return subscribe(source, args, ...rest);
    };
  }
}
