import type { Tables } from '../common/database.ts';
import type { SubgraphParts } from '../common/subgraph.ts';
import { Agent } from './agents/entity.ts';
import { AgentResolver } from './agents/resolver.ts';
import { Contact } from './contacts/entity.ts';
import { ContactResolver } from './contacts/resolver.ts';
import { CustomForm, CustomFormSubmission } from './forms/entity.ts';
import { CustomFormResolver, CustomFormSubmissionResolver } from './forms/resolver.ts';
import { IdentityResolver } from './identity/resolver.ts';
import { Lead } from './leads/entity.ts';
import { LeadResolver } from './leads/resolver.ts';
import { AgentService } from './migrations/0001-agent.ts';
import { Records } from './migrations/0050-records.ts';
import { adminScope } from './organizations/access.ts';
import { OrganizationAgentsResolver } from './organizations/resolver.ts';
import { EventSubscriptionResolver } from './subscriptions/resolver.ts';
import { Ticket, TicketMessage } from './tickets/entity.ts';
import { TicketResolver } from './tickets/resolver.ts';
import { WidgetResolver } from './widget/resolver.ts';

/** The entities and migrations of the agent service, oldest migration first. */
export const agentTables: Tables = {
  entities: [Agent, Contact, CustomForm, CustomFormSubmission, Lead, Ticket, TicketMessage],
  migrations: [
    { name: 'agent-0001', class: AgentService },
    { name: 'agent-0050', class: Records },
  ],
};

export const agent: SubgraphParts = {
  name: 'agent',
  resolvers: [
    AgentResolver,
    ContactResolver,
    CustomFormResolver,
    CustomFormSubmissionResolver,
    EventSubscriptionResolver,
    IdentityResolver,
    LeadResolver,
    OrganizationAgentsResolver,
    TicketResolver,
    WidgetResolver,
  ],
  references: {
    Agent: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Agent, id),
    Organization: ({ id }, scope) => ({ id: scope.within(id).organizationId }),
  },
};
