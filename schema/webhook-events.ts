import type { EnumValue } from './enums.ts';

/** An event as its receivers see it. */
export interface WebhookEventType {
  summary: string;
  /** Sample data, which test deliveries contain, with the keys in the order of real data. Its ids belong to no record. */
  data: Readonly<Record<string, unknown>>;
  /** Properties of the data, and of objects in it, that may be null. */
  nullable?: readonly string[];
  /** Properties of the data whose keys depend on the customer's form or collection. */
  open?: readonly string[];
}

const id = '00000000-0000-4000-8000-000000000000';
const at = '2026-01-01T00:00:00.000Z';
const agentName = 'Sample agent';

const completed = { id, status: 'completed', completedAt: at };
const stopped = { id, status: 'stopped', stoppedAt: at };
const NEVER = 'Can be subscribed, but is never sent.';

const changedProducts = { products: [{ id, sku: 'SAMPLE-1', externalId: null, changedAt: at }], cursor: '1' };
const FOLDED = 'within about a minute. One event names up to 500 products';

const catalog = {
  'product_enrichment.start': { summary: 'A product enrichment job started.', data: { id } },
  'product_enrichment.completed': { summary: 'A product enrichment job ended by itself, also if it failed.', data: completed },
  'product_enrichment.stopped': { summary: 'A user stopped a product enrichment job.', data: stopped },
  'product_validation.start': { summary: 'A product validation job started.', data: { id } },
  'product_validation.completed': { summary: 'A product validation job ended by itself, also if it failed.', data: completed },
  'product_validation.stopped': { summary: 'A user stopped a product validation job.', data: stopped },
  'product_market_analysis.start': { summary: 'A market analysis job started.', data: { id } },
  'product_market_analysis.completed': { summary: 'A market analysis job ended without failing.', data: completed },
  'product_market_analysis.stopped': { summary: NEVER, data: stopped },
  'ai_import.start': { summary: 'An AI import job started.', data: { jobId: id } },
  'ai_import.stopped': { summary: 'A user stopped an AI import job.', data: stopped },
  'ai_import.completed': { summary: NEVER, data: completed },
  'ai_import.failed': { summary: NEVER, data: { id, status: 'failed', completedAt: at } },
  'product.created': { summary: `Products were created, ${FOLDED}.`, data: changedProducts },
  'product.updated': { summary: `Fields or values of products changed, ${FOLDED}.`, data: changedProducts },
  'product.deleted': { summary: `Products were deleted, ${FOLDED}.`, data: changedProducts },
  'acceptance.stopped': {
    summary: 'Audits showed that a rule accepts too many wrong values. It accepts nothing more.',
    data: { attribute: 'color', modelType: 'budget-v1', audited: 40, right: 33, stoppedAt: at },
    nullable: ['attribute'],
  },
} as const satisfies Record<EnumValue<'WebhookEvent'>, WebhookEventType>;

const ticket = {
  ticketNumber: 'TKT-0',
  subject: 'Sample ticket',
  status: 'new',
  priority: 'normal',
  requesterEmail: 'visitor@example.com',
};
const requester = ['requesterEmail'];

const failedTests = {
  id,
  agentId: id,
  agentName,
  testSetId: id,
  testSetName: 'Sample set',
  version: 1,
  status: 'completed',
  error: null,
  share: 0.9,
  failing: ['Sample case'],
  createdAt: at,
};
const ONLY_GRAPHQL = 'Only GraphQL and the dashboard subscribe to it.';

const integration = {
  'lead.created': {
    summary: 'A visitor submitted the contact form, or `POST /api/v1/leads` created a lead.',
    data: {
      id,
      name: 'Sample visitor',
      email: 'visitor@example.com',
      phone: null,
      contactId: id,
      conversationId: null,
      agentId: id,
      agentName,
      createdAt: at,
    },
    nullable: ['name', 'email', 'phone', 'contactId', 'conversationId'],
  },
  'form.submitted': {
    summary: 'A visitor submitted a custom form. Its fields also stand beside `values`, unless a property has the same name.',
    data: {
      id,
      formName: 'sample',
      values: { message: 'Sample message' },
      conversationId: null,
      agentName,
      createdAt: at,
      message: 'Sample message',
    },
    nullable: ['conversationId'],
    open: ['values'],
  },
  'ticket.created': { summary: 'An agent or `POST /api/v1/tickets` created a ticket.', data: ticket, nullable: requester },
  'ticket.assigned': {
    summary: 'A ticket was assigned to a teammate.',
    data: { ...ticket, status: 'on_you', assignedToUserId: id, assignedToName: 'Sample teammate' },
    nullable: requester,
  },
  'ticket.status_changed': {
    summary: 'A ticket moved to another status.',
    data: { ...ticket, status: 'closed', previousStatus: 'on_you' },
    nullable: requester,
  },
  'ticket.replied': {
    summary: 'A teammate replied to the requester. The excerpt has up to 280 characters.',
    data: {
      ...ticket,
      status: 'on_customer',
      reply: { id, authorName: 'Sample teammate', excerpt: 'Sample reply', createdAt: at },
    },
    nullable: requester,
  },
  'agent.tests.failed': {
    summary: 'A nightly test run of an agent did not pass, or could not be finished. It names up to 20 of the failing cases.',
    data: failedTests,
    nullable: ['error', 'share'],
  },
  'test.failed': {
    summary: `A test run that a user or a command started did not pass, or could not be finished. Like \`agent.tests.failed\`, with the tested content. ${ONLY_GRAPHQL}`,
    data: { ...failedTests, target: 'draft' },
    nullable: ['error', 'share'],
  },
  'conversation.started': {
    summary: `A visitor began a conversation. ${ONLY_GRAPHQL}`,
    data: { id, agentId: id, agentName, createdAt: at },
  },
  'conversation.closed': {
    summary: `A conversation with a visitor was closed: by the team, by the visitor in a handoff, or because its handoff was idle. ${ONLY_GRAPHQL}`,
    data: { id, agentId: id, agentName, messageCount: 2, createdAt: at, closedAt: at },
  },
  'handoff.requested': {
    summary: `A visitor or an agent asked for a person. Outside of office hours, \`awayUntil\` is their next begin. ${ONLY_GRAPHQL}`,
    data: { id, conversationId: id, agentId: id, agentName, requestedBy: 'visitor', awayUntil: null, createdAt: at },
    nullable: ['awayUntil'],
  },
  'message.rated_down': {
    summary: `A visitor rated a reply as bad, at most once for each reply. \`version\` is that of the agent. ${ONLY_GRAPHQL}`,
    data: { id, conversationId: id, agentId: id, agentName, version: 1, ratedAt: at },
    nullable: ['version'],
  },
  'tool.called': {
    summary: `Calls of tools for visitors ended, within about a minute. One event names up to 100 calls of an agent. ${ONLY_GRAPHQL}`,
    data: {
      agentId: id,
      agentName,
      calls: [
        {
          id,
          toolId: id,
          toolName: 'sample_tool',
          conversationId: id,
          status: 'succeeded',
          responseStatus: 200,
          durationMs: 120,
          createdAt: at,
        },
      ],
    },
    nullable: ['responseStatus'],
  },
} as const satisfies Record<EnumValue<'AgentEvent'>, WebhookEventType>;

const status = 'published';
const times = { publishedAt: at, createdAt: at, updatedAt: at };
const dated = ['publishedAt'];
const page = {
  data: {
    id,
    siteId: id,
    title: 'Sample page',
    slug: 'sample',
    path: '/sample',
    status,
    seo: { title: null, description: null },
    ...times,
  },
  nullable: dated,
};
const item = {
  data: { id, siteId: id, collectionId: id, slug: 'sample', status, fields: { name: 'Sample item' }, ...times },
  nullable: dated,
  open: ['fields'],
};
const post = {
  data: {
    id,
    siteId: id,
    title: 'Sample post',
    slug: 'sample',
    excerpt: 'Sample text',
    status,
    authorId: null,
    categoryIds: [],
    coverImage: null,
    ...times,
  },
  nullable: [...dated, 'authorId', 'coverImage'],
};

const siteContent = {
  'form.submission.created': {
    summary: 'A visitor submitted a form of a site.',
    data: {
      id,
      formId: id,
      values: { message: 'Sample message' },
      submittedAt: at,
      pageId: null,
      siteId: id,
      formName: 'Sample form',
    },
    nullable: ['pageId'],
    open: ['values'],
  },
  'site.published': {
    summary: 'A site was published.',
    data: { id, workspaceId: id, name: 'Sample site', slug: 'sample', status, ...times },
  },
  'page.created': { summary: 'A page was created, as a draft.', ...page },
  'page.updated': { summary: 'A page was changed, published or unpublished.', ...page },
  'page.deleted': { summary: 'A page was deleted. The data is its last state.', ...page },
  'collection.item.created': { summary: 'An item of a collection was created, as a draft.', ...item },
  'collection.item.updated': { summary: 'An item of a collection was changed, published or unpublished.', ...item },
  'collection.item.deleted': { summary: 'An item of a collection was deleted. The data is its last state.', ...item },
  'blog.post.published': { summary: 'A blog post was published.', ...post },
  'blog.post.updated': { summary: 'A blog post was changed or unpublished.', ...post },
  'blog.post.deleted': { summary: 'A blog post was deleted. The data is its last state.', ...post },
} as const satisfies Record<EnumValue<'SiteEvent'>, WebhookEventType>;

/** All events, by the name of their surface. */
export const webhookEvents = { catalog, integration, 'site-content': siteContent } as const satisfies Record<
  string,
  Record<string, WebhookEventType>
>;
