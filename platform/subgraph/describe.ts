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
import { type Limit, limitsOf } from '../fields/index.ts';
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
