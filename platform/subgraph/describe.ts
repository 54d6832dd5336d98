import type { GraphQLField, GraphQLSchema } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { ACCESS } from '../../schema/directives.ts';
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

/**
 * Append to the description of each root field who may call it, and whether it accepts an `Idempotency-Key`. The directive `@access` tells the
 * first to programs.
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
  for (const { schemaName, roles: [level = 'member'] = [] } of [...queries, ...mutations, ...subscriptions]) {
    const field = fields[schemaName];
    if (!field) continue;
    field.description = sentences(field, callers[level as Level]);
    if (level === 'public') continue;
    const directives = { ...(field.extensions.directives as object), [ACCESS]: { level: shown(level as Level) } };
    field.extensions = { ...field.extensions, directives };
  }
}

const fieldsOf = (type?: { getFields(): Record<string, GraphQLField<unknown, unknown>> } | null) => type?.getFields();

function sentences({ description, extensions }: GraphQLField<unknown, unknown>, access?: string): string {
  const owner = (extensions[IDEMPOTENT] as { per: KeyOwner } | undefined)?.per;
  const retries = owner && keyOwners[owner];
  return [description, access, retries].filter(Boolean).join(' ');
}
