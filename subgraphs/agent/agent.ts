import type { SubgraphParts } from '../../platform/subgraph/index.ts';
import { Agent } from './agents/entity.ts';
import { AgentResolver } from './agents/resolver.ts';
import { ApprovalResolver } from './approvals/resolver.ts';
import { ChatResolver, WidgetChatResolver } from './chat/service.ts';
import { ContactResolver } from './contacts/service.ts';
import { ConversationResolver } from './conversations/resolver.ts';
import { ConversationTeamResolver } from './conversations/teamwork-resolver.ts';
import { ContactErasureResolver } from './erasure/resolver.ts';
import { AgentFiguresResolver } from './figures/resolver.ts';
import { CustomFormResolver, CustomFormSubmissionResolver } from './forms/service.ts';
import { ConversationHandoffResolver, HandoffResolver } from './handoff/service.ts';
import { VisitorHandoffResolver } from './handoff/visitor-resolver.ts';
import { LeadResolver } from './leads/service.ts';
import { MailChannelResolver } from './mails/entity.ts';
import { McpServerResolver } from './mcp-servers/remote-tools.ts';
import { adminScope, IdentityResolver, OrganizationAgentsResolver } from './organizations/resolver.ts';
import { RetrievalResolver } from './retrieval/resolver.ts';
import { SecretResolver } from './secrets/service.ts';
import { Source } from './sources/entity.ts';
import { SourceResolver } from './sources/resolver.ts';
import { EventSubscriptionResolver, eventDeliveryResolvers } from './subscriptions/resolver.ts';
import { SweepResolver } from './sweep/resolver.ts';
import { CannedReplyResolver } from './teamwork/resolver.ts';
import { TestResultResolver, TestRunResolver } from './test-runs/resolver.ts';
import { AgentTestsResolver, TestSetResolver } from './testing/resolver.ts';
import { TicketMailResolver } from './tickets/mail-resolver.ts';
import { TicketResolver } from './tickets/service.ts';
import { ToolCallResolver } from './tool-calls/service.ts';
import { Tool } from './tools/entity.ts';
import { AgentToolsResolver, ToolResolver } from './tools/resolver.ts';
import { AgentDraftResolver, AgentVersionResolver } from './versions/resolver.ts';
import { SigningSecretResolver } from './visitors/resolver.ts';
import { WidgetResolver } from './widget/resolver.ts';

export const agent: SubgraphParts = {
  name: 'agent',
  resolvers: [
    OrganizationAgentsResolver,
    AgentResolver,
    ApprovalResolver,
    ChatResolver,
    WidgetChatResolver,
    ContactResolver,
    ConversationResolver,
    ConversationTeamResolver,
    ContactErasureResolver,
    AgentFiguresResolver,
    CustomFormResolver,
    CustomFormSubmissionResolver,
    HandoffResolver,
    ConversationHandoffResolver,
    VisitorHandoffResolver,
    IdentityResolver,
    LeadResolver,
    MailChannelResolver,
    McpServerResolver,
    RetrievalResolver,
    SecretResolver,
    SourceResolver,
    ...eventDeliveryResolvers,
    EventSubscriptionResolver,
    SweepResolver,
    CannedReplyResolver,
    TestRunResolver,
    TestResultResolver,
    TestSetResolver,
    AgentTestsResolver,
    TicketMailResolver,
    TicketResolver,
    ToolCallResolver,
    ToolResolver,
    AgentToolsResolver,
    AgentDraftResolver,
    AgentVersionResolver,
    SigningSecretResolver,
    WidgetResolver,
  ],
  references: {
    Agent: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Agent, id),
    Source: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Source, id),
    Tool: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Tool, id),
    Organization: ({ id }, scope) => ({ id: scope.within(id).organizationId }),
  },
};
