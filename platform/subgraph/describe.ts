import { type GraphQLField, type GraphQLSchema, isNullableType } from 'graphql';
import { Extensions, getMetadataStorage } from 'type-graphql';
import { ACCESS, SEMANTIC_NON_NULL } from '../../schema/directives.ts';
import { errors, requestErrors } from '../../schema/errors.ts';
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
