import { lockNameShared, query, readRows, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { McpServer } from '../mcp-servers/entity.ts';
import { Tool } from '../tools/entity.ts';

export const secretsLock = ({ organizationId }: Scope) => `secrets of ${organizationId}`;

/** Protect the secrets that a new template names from concurrent deletion, until the commit. */
export async function holdSecrets(scope: Scope, names: readonly string[]): Promise<void> {
  if (names.length > 0) await lockNameShared(scope.em, secretsLock(scope));
}

/** Describe the tools and MCP servers that use a secret, in the transaction of the scope. */
export async function listUses({ em, organizationId }: Scope, name: string): Promise<string[]> {
  const uses = await query(
    em,
    sql<{ name: string; agent: string; kind: string }>`
      select u.name, a.name as agent, u.kind from (
        select name, agent_id, 'tool' as kind from agent.tools
         where organization_id = ${organizationId} and secret_names @> array[${name}]
        union all
        select name, agent_id, 'MCP server' from agent.mcp_servers
         where organization_id = ${organizationId} and secret_names @> array[${name}]
      ) u join agent.agents a on a.id = u.agent_id order by a.name, u.name, u.kind limit 20`,
  );
  return uses.map((use) => `${use.kind} ${use.name} of ${use.agent}`);
}

/** Batches the users of a list of secrets into one query. */
export const toolsOf = async (scope: RequestScope, name: string): Promise<Tool[]> => (await usersOf(scope, Tool)(name)) ?? [];

export const mcpServersOf = async (scope: RequestScope, name: string): Promise<McpServer[]> =>
  (await usersOf(scope, McpServer)(name)) ?? [];

function usersOf<T extends Tool | McpServer>(scope: RequestScope, entity: new () => T) {
  return scope.batch(`secrets of ${entity.name}`, async (names) => {
    const found = await readRows<T>(scope, entity, {
      matching: (bind) => `r.secret_names && ${bind(names)}::text[]`,
      ordering: 'r.name, r.id',
    });
    return new Map(names.map((name) => [name, found.filter(({ secretNames }) => secretNames.includes(name))]));
  });
}
