import type { Tables } from '../common/database.ts';
import type { SubgraphParts } from '../common/subgraph.ts';
import { Agent } from './agents/entity.ts';
import { AgentResolver } from './agents/resolver.ts';
import { IdentityResolver } from './identity/resolver.ts';
import { AgentService } from './migrations/0001-agent.ts';
import { Sources } from './migrations/0030-sources.ts';
import { adminScope } from './organizations/access.ts';
import { OrganizationAgentsResolver } from './organizations/resolver.ts';
import { RetrievalResolver } from './retrieval/resolver.ts';
import { Source } from './sources/entity.ts';
import { SourcePage } from './sources/page-entity.ts';
import { SourceResolver } from './sources/resolver.ts';
import { WidgetResolver } from './widget/resolver.ts';

/** The entities and migrations of the agent service, oldest migration first. */
export const agentTables: Tables = {
  entities: [Agent, Source, SourcePage],
  migrations: [
    { name: 'agent-0001', class: AgentService },
    { name: 'agent-0030', class: Sources },
  ],
};

export const agent: SubgraphParts = {
  name: 'agent',
  resolvers: [AgentResolver, IdentityResolver, OrganizationAgentsResolver, RetrievalResolver, SourceResolver, WidgetResolver],
  references: {
    Agent: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Agent, id),
    Source: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Source, id),
    Organization: ({ id }, scope) => ({ id: scope.within(id).organizationId }),
  },
};
