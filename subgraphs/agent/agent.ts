import type { Tables } from '../common/database.ts';
import type { SubgraphParts } from '../common/subgraph.ts';
import { Agent } from './agents/entity.ts';
import { AgentResolver } from './agents/resolver.ts';
import { IdentityResolver } from './identity/resolver.ts';
import { McpServer } from './mcp-servers/entity.ts';
import { McpServerResolver } from './mcp-servers/resolver.ts';
import { AgentService } from './migrations/0001-agent.ts';
import { AgentTools } from './migrations/0020-tools.ts';
import { adminScope } from './organizations/access.ts';
import { OrganizationAgentsResolver } from './organizations/resolver.ts';
import { Secret } from './secrets/entity.ts';
import { SecretResolver } from './secrets/resolver.ts';
import { ToolCall } from './tool-calls/entity.ts';
import { ToolCallResolver } from './tool-calls/resolver.ts';
import { Tool } from './tools/entity.ts';
import { AgentToolsResolver, ToolResolver } from './tools/resolver.ts';
import { WidgetResolver } from './widget/resolver.ts';

/** The entities and migrations of the agent service, oldest migration first. */
export const agentTables: Tables = {
  entities: [Agent, McpServer, Secret, Tool, ToolCall],
  migrations: [
    { name: 'agent-0001', class: AgentService },
    { name: 'agent-0020', class: AgentTools },
  ],
};

export const agent: SubgraphParts = {
  name: 'agent',
  resolvers: [
    AgentResolver,
    AgentToolsResolver,
    IdentityResolver,
    McpServerResolver,
    OrganizationAgentsResolver,
    SecretResolver,
    ToolCallResolver,
    ToolResolver,
    WidgetResolver,
  ],
  references: {
    Agent: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Agent, id),
    Tool: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Tool, id),
    Organization: ({ id }, scope) => ({ id: scope.within(id).organizationId }),
  },
};
