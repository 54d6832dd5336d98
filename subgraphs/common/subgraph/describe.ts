import type { GraphQLField, GraphQLSchema } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { IDEMPOTENT, type KeyOwner } from '../idempotency/idempotent.ts';
import type { Level } from '../identity/level.ts';

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

/** Append to the description of each root field who may call it, and whether it accepts an `Idempotency-Key`. */
export function describeSchema(schema: GraphQLSchema): void {
  const { queries, mutations, subscriptions } = getMetadataStorage();
  const fields = {
    ...fieldsOf(schema.getQueryType()),
    ...fieldsOf(schema.getMutationType()),
    ...fieldsOf(schema.getSubscriptionType()),
  };
  for (const { schemaName, roles: [level = 'member'] = [] } of [...queries, ...mutations, ...subscriptions]) {
    const field = fields[schemaName];
    if (field) field.description = sentences(field, callers[level as Level]);
  }
}

const fieldsOf = (type?: { getFields(): Record<string, GraphQLField<unknown, unknown>> } | null) => type?.getFields();

function sentences({ description, extensions }: GraphQLField<unknown, unknown>, access?: string): string {
  const owner = (extensions[IDEMPOTENT] as { per: KeyOwner } | undefined)?.per;
  const retries = owner && keyOwners[owner];
  return [description, access, retries].filter(Boolean).join(' ');
}
