import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Agent } from '../agents/entity.ts';
import type { Tool } from '../tools/entity.ts';
import { domainsOf, isAllowedHost } from '../tools/tool-request.ts';

/** Sources and tools that are read; agents have at most 200 and 100. */
const MAX = 300;

/** Whether the links of a reply have rules: with required approvals, and where personal data could be in them. */
export const hasLinkRules = (
  { requireApprovals }: Pick<Agent, 'requireApprovals'>,
  tools: readonly { data?: Tool['data'] }[],
  personalHosts: ReadonlySet<string>,
): boolean => requireApprovals || personalHosts.size > 0 || tools.some(({ data }) => data === 'personal');

/**
 * Whether a reply of an agent may link to a URL: to the hosts of its sources and tools, and to the origins that embed it. A link could carry
 * personal data, so that it leads only to the host of the data once a conversation has some. Without required approvals, there are no rules
 * before.
 * @param tools the tools of a content; by default those that the agent has now
 */
export async function linksOf(
  { em, organizationId }: Scope,
  { id: agentId, draftOf, requireApprovals }: Pick<Agent, 'id' | 'draftOf' | 'requireApprovals'>,
  personalHosts: ReadonlySet<string>,
  tools?: readonly Pick<Tool, 'endpointUrl' | 'allowedDomains'>[],
): Promise<(url: URL) => boolean> {
  const rows = await query(
    em,
    sql<{ endpointUrl: string; allowedDomains: string[] }>`
      select url as "endpointUrl", '{}'::text[] as "allowedDomains" from agent.sources
       where agent_id = ${draftOf ?? agentId} and organization_id = ${organizationId} and url is not null
      union all
      select endpoint_url, allowed_domains from agent.tools where agent_id = ${agentId} and organization_id = ${organizationId}
         and ${tools === undefined}::boolean
      union all
      select unnest(allowed_origins), '{}' from agent.agents where id = ${agentId} and organization_id = ${organizationId}
      limit ${MAX}`,
  );
  const domains = [...new Set([...rows, ...(tools ?? [])].flatMap(domainsOf))];
  return ({ hostname }) => {
    if (!requireApprovals && personalHosts.size === 0) return true;
    return isAllowedHost(hostname, domains) && [...personalHosts].every((each) => each === hostname);
  };
}
