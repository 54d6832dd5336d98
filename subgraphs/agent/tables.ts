import type { Tables } from '../../platform/database/index.ts';
import { Agent } from './agents/entity.ts';
import { Approval } from './approvals/entity.ts';
import { Contact } from './contacts/entity.ts';
import { Conversation, ConversationNote, Message } from './conversations/entity.ts';
import { ContactErasure } from './erasure/entity.ts';
import { CustomForm, CustomFormSubmission } from './forms/entity.ts';
import { Handoff } from './handoff/entity.ts';
import { Lead } from './leads/entity.ts';
import { McpServer } from './mcp-servers/entity.ts';
import { AgentBaseline } from './migrations/0001-baseline.ts';
import { Secret } from './secrets/service.ts';
import { Source, SourcePage } from './sources/entity.ts';
import { CannedReply } from './teamwork/resolver.ts';
import { TestResult, TestRun, TestRunCase } from './test-runs/entity.ts';
import { TestCase, TestSet } from './testing/entity.ts';
import { Ticket, TicketMessage } from './tickets/entity.ts';
import { ToolCall } from './tool-calls/service.ts';
import { Tool } from './tools/entity.ts';
import { AgentVersion } from './versions/entity.ts';
import { SigningSecret, Visitor } from './visitors/entity.ts';

/** The entities and migrations of the agent service. */
export const agentTables: Tables = {
  entities: [
    Agent,
    Approval,
    CannedReply,
    Contact,
    ContactErasure,
    Conversation,
    ConversationNote,
    CustomForm,
    CustomFormSubmission,
    Handoff,
    Lead,
    McpServer,
    Message,
    Secret,
    SigningSecret,
    Source,
    SourcePage,
    TestCase,
    TestResult,
    TestRun,
    TestRunCase,
    TestSet,
    Ticket,
    TicketMessage,
    Tool,
    ToolCall,
    Visitor,
    AgentVersion,
  ],
  migrations: [{ name: 'agent-0001', class: AgentBaseline }],
};
