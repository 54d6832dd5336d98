import type { SubgraphParts } from '../../platform/subgraph/index.ts';
import { Agent } from './agents/entity.ts';
import { AgentResolver } from './agents/resolver.ts';
import { ApprovalResolver } from './approvals/resolver.ts';
import { ChatResolver, WidgetChatResolver } from './chat/resolver.ts';
import { ContactResolver } from './contacts/resolver.ts';
import { ConversationResolver } from './conversations/resolver.ts';
import { ConversationTeamResolver } from './conversations/teamwork-resolver.ts';
import { ContactErasureResolver } from './erasure/resolver.ts';
import { AgentFiguresResolver } from './figures/resolver.ts';
import { CustomFormResolver, CustomFormSubmissionResolver } from './forms/resolver.ts';
import { ConversationHandoffResolver, HandoffResolver } from './handoff/resolver.ts';
import { VisitorHandoffResolver } from './handoff/visitor-resolver.ts';
import { IdentityResolver } from './identity/resolver.ts';
import { LeadResolver } from './leads/resolver.ts';
import { MailChannelResolver } from './mails/entity.ts';
import { McpServerResolver } from './mcp-servers/resolver.ts';
import { adminScope, OrganizationAgentsResolver } from './organizations/resolver.ts';
import { RetrievalResolver } from './retrieval/resolver.ts';
import { SecretResolver } from './secrets/resolver.ts';
import { Source } from './sources/entity.ts';
import { SourceResolver } from './sources/resolver.ts';
import { EventSubscriptionResolver, eventDeliveryResolvers } from './subscriptions/resolver.ts';
import { SweepResolver } from './sweep/resolver.ts';
import { CannedReplyResolver } from './teamwork/resolver.ts';
import { TestResultResolver, TestRunResolver } from './test-runs/resolver.ts';
import { AgentTestsResolver, TestSetResolver } from './testing/resolver.ts';
import { TicketMailResolver } from './tickets/mail-resolver.ts';
import { TicketResolver } from './tickets/resolver.ts';
import { ToolCallResolver } from './tool-calls/resolver.ts';
import { Tool } from './tools/entity.ts';
import { AgentToolsResolver, ToolResolver } from './tools/resolver.ts';
import { AgentDraftResolver, AgentVersionResolver } from './versions/resolver.ts';
import { SigningSecretResolver } from './visitors/resolver.ts';
import { WidgetResolver } from './widget/resolver.ts';

export const agent: SubgraphParts = {
  name: 'agent',
  resolvers: [
    AgentResolver,
    AgentDraftResolver,
    AgentFiguresResolver,
    AgentVersionResolver,
    AgentToolsResolver,
    ApprovalResolver,
    CannedReplyResolver,
    ChatResolver,
    ContactResolver,
    ContactErasureResolver,
    ConversationResolver,
    ConversationTeamResolver,
    CustomFormResolver,
    CustomFormSubmissionResolver,
    ...eventDeliveryResolvers,
    EventSubscriptionResolver,
    HandoffResolver,
    ConversationHandoffResolver,
    IdentityResolver,
    LeadResolver,
    MailChannelResolver,
    McpServerResolver,
    OrganizationAgentsResolver,
    RetrievalResolver,
    SecretResolver,
    SigningSecretResolver,
    SourceResolver,
    SweepResolver,
    AgentTestsResolver,
    TestRunResolver,
    TestResultResolver,
    TestSetResolver,
    TicketMailResolver,
    TicketResolver,
    ToolCallResolver,
    ToolResolver,
    VisitorHandoffResolver,
    WidgetChatResolver,
    WidgetResolver,
  ],
  references: {
    Agent: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Agent, id),
    Source: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Source, id),
    Tool: ({ id }, scope) => adminScope(scope, scope.organizationId).load(Tool, id),
    Organization: ({ id }, scope) => ({ id: scope.within(id).organizationId }),
  },
};
