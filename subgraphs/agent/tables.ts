import type { Tables } from '../../platform/database/index.ts';
import { Agent } from './agents/entity.ts';
import { Contact } from './contacts/entity.ts';
import { Conversation, Message } from './conversations/entity.ts';
import { ContactErasure } from './erasure/entity.ts';
import { CustomForm, CustomFormSubmission } from './forms/entity.ts';
import { Handoff } from './handoff/entity.ts';
import { Lead } from './leads/entity.ts';
import { McpServer } from './mcp-servers/entity.ts';
import { AgentService } from './migrations/0001-agent.ts';
import { AgentTools } from './migrations/0020-tools.ts';
import { Sources } from './migrations/0030-sources.ts';
import { Conversations } from './migrations/0040-conversations.ts';
import { AgentLimits } from './migrations/0041-agent-limits.ts';
import { AnswerChecks } from './migrations/0042-answer-checks.ts';
import { CallsOfConversations } from './migrations/0043-calls-of-conversations.ts';
import { Records } from './migrations/0050-records.ts';
import { Handoffs } from './migrations/0060-handoffs.ts';
import { MessageTokens } from './migrations/0061-message-tokens.ts';
import { Ratings } from './migrations/0062-ratings.ts';
import { CatalogAccess } from './migrations/0066-catalog-access.ts';
import { RecordTimes } from './migrations/0072-record-times.ts';
import { AuditedAgents } from './migrations/0122-audited-agents.ts';
import { ContactRecords } from './migrations/0128-contact-records.ts';
import { TicketActivity } from './migrations/0129-ticket-activity.ts';
import { ContactsOfConversations } from './migrations/0140-contacts-of-conversations.ts';
import { ContactIndexes } from './migrations/0141-contact-indexes.ts';
import { ListSizes } from './migrations/0146-list-sizes.ts';
import { ConversationIndexes } from './migrations/0147-conversation-indexes.ts';
import { WatchedReplies } from './migrations/0171-watched-replies.ts';
import { SourceTurns } from './migrations/0176-source-turns.ts';
import { SourceTurnIndex } from './migrations/0177-source-turn-index.ts';
import { AgentsOfConversations } from './migrations/0181-agents-of-conversations.ts';
import { DeletedAgents } from './migrations/0183-deleted-agents.ts';
import { SweepIndexes } from './migrations/0188-sweep-indexes.ts';
import { RulesOfSites } from './migrations/0190-rules-of-sites.ts';
import { PaidPassages } from './migrations/0202-paid-passages.ts';
import { BytesOfAgents } from './migrations/0206-bytes-of-agents.ts';
import { Erasures } from './migrations/0230-erasures.ts';
import { ErasureIndexes } from './migrations/0231-erasure-indexes.ts';
import { RecordsOfDeliveries } from './migrations/0233-records-of-deliveries.ts';
import { CrawlTurns } from './migrations/0240-crawl-turns.ts';
import { Secret } from './secrets/entity.ts';
import { Source } from './sources/entity.ts';
import { SourcePage } from './sources/page-entity.ts';
import { Ticket, TicketMessage } from './tickets/entity.ts';
import { ToolCall } from './tool-calls/entity.ts';
import { Tool } from './tools/entity.ts';

/** The entities and migrations of the agent service. */
export const agentTables: Tables = {
  entities: [
    Agent,
    Contact,
    ContactErasure,
    Conversation,
    CustomForm,
    CustomFormSubmission,
    Handoff,
    Lead,
    McpServer,
    Message,
    Secret,
    Source,
    SourcePage,
    Ticket,
    TicketMessage,
    Tool,
    ToolCall,
  ],
  migrations: [
    { name: 'agent-0001', class: AgentService },
    { name: 'agent-0020', class: AgentTools },
    { name: 'agent-0030', class: Sources },
    { name: 'agent-0040', class: Conversations },
    { name: 'agent-0041', class: AgentLimits },
    { name: 'agent-0042', class: AnswerChecks },
    { name: 'agent-0043', class: CallsOfConversations },
    { name: 'agent-0050', class: Records },
    { name: 'agent-0060', class: Handoffs },
    { name: 'agent-0061', class: MessageTokens },
    { name: 'agent-0062', class: Ratings },
    { name: 'agent-0066', class: CatalogAccess },
    { name: 'agent-0072', class: RecordTimes },
    { name: 'agent-0122', class: AuditedAgents },
    { name: 'agent-0128', class: ContactRecords },
    { name: 'agent-0129', class: TicketActivity },
    { name: 'agent-0140', class: ContactsOfConversations },
    { name: 'agent-0141', class: ContactIndexes },
    { name: 'agent-0146', class: ListSizes },
    { name: 'agent-0147', class: ConversationIndexes },
    { name: 'agent-0171', class: WatchedReplies },
    { name: 'agent-0176', class: SourceTurns },
    { name: 'agent-0177', class: SourceTurnIndex },
    { name: 'agent-0181', class: AgentsOfConversations },
    { name: 'agent-0183', class: DeletedAgents },
    { name: 'agent-0188', class: SweepIndexes },
    { name: 'agent-0190', class: RulesOfSites },
    { name: 'agent-0202', class: PaidPassages },
    { name: 'agent-0206', class: BytesOfAgents },
    { name: 'agent-0230', class: Erasures },
    { name: 'agent-0231', class: ErasureIndexes },
    { name: 'agent-0233', class: RecordsOfDeliveries },
    { name: 'agent-0240', class: CrawlTurns },
  ],
};
