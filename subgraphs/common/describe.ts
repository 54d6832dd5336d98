import type { GraphQLField, GraphQLSchema } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { IDEMPOTENT } from './idempotency/idempotent.ts';
import type { Level } from './identity/level.ts';

const callers: Record<Level, string | undefined> = {
  public: 'Needs no API key.',
  user: 'Needs no organization.',
  member: undefined,
  admin: 'Only for owners and admins.',
  owner: 'Only for owners.',
  agent: undefined,
  operator: "Needs an operator's key.",
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
  const retries = IDEMPOTENT in extensions && 'Accepts an `Idempotency-Key`.';
  return [description, access, retries].filter(Boolean).join(' ');
}
