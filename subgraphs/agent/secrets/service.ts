import type { Pool } from 'pg';
import { Arg, Ctx, FieldResolver, ID, InputType, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import {
  clock,
  column,
  columns,
  Deletion,
  findById,
  hidden,
  lockName,
  lockNameShared,
  Owned,
  query,
  readRows,
  sql,
  Table,
} from '../../../platform/database/index.ts';
import { field, Id, input } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { resealColumn, type SecretName, type Secrets } from '../../../platform/secrets/index.ts';
import { fail } from '../../../schema/errors.ts';
import { requireAgent } from '../agents/service.ts';
import { McpServer } from '../mcp-servers/entity.ts';
import { Tool } from '../tools/entity.ts';
import { ToolFault } from '../tools/templates.ts';

@ObjectType({ description: 'A secret that tools of the organization use as `{{secret:NAME}}`. Its value is never returned.' })
@Table('agent.secrets')
export class Secret extends columns(Owned, {
  name: column('string', { length: 64, description: 'Unique within the organization.' }),
  /** The encrypted value. */
  sealed: hidden('blob', { lazy: true }),
  createdAt: column('datetime', { initial: clock.now }),
  updatedAt: column('datetime', {
    initial: (row: { createdAt: Date }) => row.createdAt,
    onUpdate: clock.now,
    description: 'When the value was last replaced.',
  }),
}) {}

@InputType({ description: 'A new value of a secret.' })
class SecretChange extends input({
  value: field(String, { minLength: 1, maxLength: 8_192, description: 'Stored encrypted, and never returned.' }),
}) {}

@InputType({ description: 'The name and the value of a new secret.' })
class NewSecret extends input(SecretChange, {
  name: field(String, {
    minLength: 1,
    maxLength: 64,
    pattern: /^[A-Z][A-Z0-9_]*$/,
    description: 'The name in placeholders. Unique within the organization.',
  }),
}) {}

@ObjectType({ description: 'Confirms that a secret was deleted.' })
class DeletedSecret extends Deletion {}

const AGENT = 'Must be an agent of the organization. Secrets belong to the organization, so this has no other effect.';

@Access('admin')
@Resolver(() => Secret)
export class SecretResolver {
  @ListSize(50)
  @Query(() => [Secret], { description: 'All secrets of the organization without their values, sorted by name.' })
  async secrets(
    @Ctx() scope: RequestScope,
    @Arg('agentId', () => ID, { nullable: true, description: AGENT }) agentId?: string | null,
  ): Promise<Secret[]> {
    if (agentId) await requireAgent(scope, agentId);
    return readRows(scope, Secret, { orderBy: { name: 'asc' } }, { limit: MAX_SECRETS, offset: 0 });
  }

  /** Throws `CONFLICT` if the name is taken. */
  @Idempotent({ prepares: true })
  @Mutation(() => Secret, { description: 'Create a secret. An organization can have up to 200.' })
  async createSecret(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewSecret) { name, value }: NewSecret,
    @Arg('agentId', () => ID, { nullable: true, description: AGENT }) agentId?: string | null,
  ): Promise<Secret> {
    if (agentId) await requireAgent(scope, agentId);
    return scope.write(async (inner) => {
      const { em, organizationId, services } = inner;
      // The lock keeps the count and the name valid until the commit.
      await lockName(inner.em, secretsLock(inner));
      if (await em.count(Secret, { name })) throw fail('CONFLICT', `A secret with the name ${name} already exists.`);
      if ((await em.count(Secret)) >= MAX_SECRETS)
        throw fail('UNPROCESSABLE', `An organization has at most ${MAX_SECRETS} secrets.`);
      const secret = new Secret();
      Object.assign(secret, { name, organizationId });
      secret.sealed = services.secrets.seal(value, secretName(secret));
      em.persist(secret);
      return withoutValue(secret);
    });
  }

  /** Replace the value. Throws `NOT_FOUND`. */
  @Mutation(() => Secret, { description: 'Replace the value of a secret. Calls that start later use the new value.' })
  updateSecret(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('input', () => SecretChange) { value }: SecretChange,
  ): Promise<Secret> {
    return transaction(scope, async ({ em, services }) => {
      const secret = await findById(em, Secret, id, 'Secret');
      secret.sealed = services.secrets.seal(value, secretName(secret));
      secret.updatedAt = clock.now();
      await em.flush();
      return withoutValue(secret);
    });
  }

  /** Throws `NOT_FOUND`, or `CONFLICT` with the names of the tools that need the secret. */
  @Mutation(() => DeletedSecret, { description: 'Delete a secret. Fails with `CONFLICT` while a tool or an MCP server uses it.' })
  async deleteSecret(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('agentId', () => ID, { nullable: true, description: AGENT }) agentId?: string | null,
  ) {
    if (agentId) await requireAgent(scope, agentId);
    return transaction(scope, async (inner) => {
      await lockName(inner.em, secretsLock(inner));
      const secret = await findById(inner.em, Secret, id, 'Secret');
      const uses = await listUses(inner, secret.name);
      if (uses.length > 0) throw fail('CONFLICT', `The secret ${secret.name} is used by ${uses.join(', ')}.`);
      await inner.em.nativeDelete(Secret, { id: secret.id });
      return { id: secret.id, deleted: true };
    });
  }

  @FieldResolver(() => String, { description: 'A constant placeholder, which reveals nothing about the value.' })
  maskedValue(): string {
    return '••••••••';
  }

  /** Batches the users of a list of secrets into one query. */
  @ListSize(10)
  @FieldResolver(() => [Tool], { description: 'The tools of all agents that use the secret, sorted by name.' })
  async tools(@Ctx() scope: RequestScope, @Root() { name }: Secret): Promise<Tool[]> {
    return (await usersOf(scope, Tool)(name)) ?? [];
  }

  @ListSize(10)
  @FieldResolver(() => [McpServer], { description: 'The MCP servers of all agents that use the secret, sorted by name.' })
  async mcpServers(@Ctx() scope: RequestScope, @Root() { name }: Secret): Promise<McpServer[]> {
    return (await usersOf(scope, McpServer)(name)) ?? [];
  }
}

const MAX_SECRETS = 200;

/** A plain copy, so that no stored response of a request contains the value. */
const withoutValue = ({ id, organizationId, name, createdAt, updatedAt }: Secret): Secret =>
  Object.assign(Object.create(Secret.prototype), { id, organizationId, name, createdAt, updatedAt });

const secretsLock = ({ organizationId }: Scope) => `secrets of ${organizationId}`;

/** Protect the secrets that a new template names from concurrent deletion, until the commit. */
export async function holdSecrets(scope: Scope, names: readonly string[]): Promise<void> {
  if (names.length > 0) await lockNameShared(scope.em, secretsLock(scope));
}

/** Describe the tools and MCP servers that use a secret, in the transaction of the scope. */
async function listUses({ em, organizationId }: Scope, name: string): Promise<string[]> {
  const uses = await query(
    em,
    sql<{ name: string; agent: string; kind: string }>`
      select u.name, a.name || case when a.draft_of is null then '' else ' (draft)' end as agent, u.kind from (
        select name, agent_id, 'tool' as kind from agent.tools
         where organization_id = ${organizationId} and secret_names @> array[${name}]
        union all
        select name, agent_id, 'MCP server' from agent.mcp_servers
         where organization_id = ${organizationId} and secret_names @> array[${name}]
      ) u join agent.agents a on a.id = u.agent_id order by a.name, u.name, u.kind limit 20`,
  );
  return uses.map((use) => `${use.kind} ${use.name} of ${use.agent}`);
}

function usersOf<T extends Tool | McpServer>(scope: RequestScope, entity: new () => T) {
  return scope.batch(`secrets of ${entity.name}`, async (names) => {
    const found = await readRows<T>(scope, entity, {
      matching: (bind) => `r.secret_names && ${bind(names)}::text[]`,
      ordering: 'r.name, r.id',
    });
    return new Map(names.map((name) => [name, found.filter(({ secretNames }) => secretNames.includes(name))]));
  });
}

/** The name under which the value of a secret is sealed. */
const secretName = ({ organizationId, id }: { organizationId: string; id: string }): SecretName => ({
  organizationId,
  name: `secret/${id}`,
});

const COLUMNS = ['id', 'organizationId', 'name', 'sealed'] as const;

/** Decrypt the secrets of these names. Names that do not exist are missing in the result. Throws `ToolFault` if a key is lost. */
export async function openSecrets(scope: Scope, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await readRows(scope, Secret, { columns: COLUMNS, where: { name: names } });
  const { secrets } = scope.services;
  return new Map(
    rows.map((row) => {
      if (!secrets.canOpen(row.sealed)) throw new ToolFault(`The secret ${row.name} cannot be decrypted. Replace its value.`);
      return [row.name, secrets.open(row.sealed, secretName(row))];
    }),
  );
}

/** Reseal the secrets of tools with the first key. */
export const resealToolSecrets = (pool: Pool, secrets: Secrets): Promise<void> =>
  resealColumn(pool, secrets, { table: 'agent.secrets', column: 'sealed', nameOf: secretName });
