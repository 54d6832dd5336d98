import { table } from '../route.ts';
import { integration as surface } from '../surfaces.ts';

const agentId = '01a1f0c2-7d1e-7c3a-9b52-3f6d5e8a9c01';
const since = '2026-11-01T00:00:00Z';
const limit = '100';
const ticket = `id ticketNumber subject description status priority category source requesterName requesterEmail contactId conversationId
  conversationSummary assignedToUserId assignedToName agentId agentName createdAt lastActivityAt`;
const subscription = 'id event targetUrl source agentId status failureCount createdAt';

export const integration = table(surface, {
  'GET /me': {
    summary: 'Read the user of the key and the organizations that it can access',
    graphql: `query { identity { userId organizations { id name slug } boundOrganization { id name slug } } }`,
    requires: { access: 'user' },
    example: {},
  },
  'GET /agents': {
    summary: 'List the agents of the organization, by name',
    graphql: `query { agentSummaries { id name publicSlug } }`,
    envelope: { under: 'agents' },
    example: {},
  },
  'GET /forms': {
    summary: 'List the enabled custom forms, by name',
    description: 'Forms of several agents that share a name appear once.',
    graphql: `query ($agentId: ID) { customForms(agentId: $agentId) { name title agentId agentName } }`,
    envelope: { under: 'forms' },
    example: { query: { agentId } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'GET /leads': {
    summary: 'List leads, newest first',
    graphql: `query ($agentId: ID, $email: String, $since: Since, $limit: ListLimit) {
      leads(agentId: $agentId, email: $email, since: $since, limit: $limit) {
        id name email phone contactId conversationId agentId agentName createdAt
      }
    }`,
    envelope: { under: 'leads' },
    example: { query: { email: 'ada@example.com', since, limit } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'POST /leads': {
    summary: 'Create a lead',
    description: 'The lead needs a name or an e-mail address. Emits `lead.created`.',
    graphql: `mutation ($input: NewLead!) {
      createLead(input: $input) { id name email phone contactId conversationId agentId agentName createdAt }
    }`,
    status: 201,
    example: { body: { agentId, name: 'Ada Lovelace', email: 'ada@example.com' } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'GET /form-submissions': {
    summary: 'List submissions of custom forms, newest first',
    description: 'Each submission also has the fields of `values`, after its own fields.',
    graphql: `query ($agentId: ID, $formName: String, $since: Since, $limit: ListLimit) {
      customFormSubmissions(agentId: $agentId, formName: $formName, since: $since, limit: $limit) {
        id formName values conversationId agentName createdAt
      }
    }`,
    envelope: { under: 'submissions' },
    flatten: 'values',
    example: { query: { formName: 'returns', since, limit } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'GET /tickets': {
    summary: 'List tickets, newest first',
    description: '`sort=activity` sorts by the latest activity, so that a poller sees changes of old tickets.',
    graphql: `query (
      $agentId: ID, $status: TicketStatus, $email: String, $ticketNumber: String, $sort: String, $since: Since, $limit: ListLimit
    ) {
      tickets(
        agentId: $agentId, status: $status, email: $email, ticketNumber: $ticketNumber, sort: $sort, since: $since, limit: $limit
      ) { ${ticket} }
    }`,
    envelope: { under: 'tickets' },
    example: { query: { status: 'on_you', sort: 'activity', since, limit } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'POST /tickets': {
    summary: 'Create a ticket',
    description: 'The ticket needs a subject or a description. Its source is `api`. Emits `ticket.created`.',
    requires: { ...surface.requires, gates: ['tickets'] },
    graphql: `mutation ($input: NewTicket!) { createTicket(input: $input) { ${ticket} } }`,
    status: 201,
    example: { body: { agentId, subject: 'A lamp arrived broken', requesterEmail: 'ada@example.com', priority: 'high' } },
    errors: { NOT_FOUND: 'Agent not found', PLAN_REQUIRED: 'Tickets require the Helpdesk module.' },
  },
  'GET /webhooks': {
    summary: 'List the webhook subscriptions, newest first',
    graphql: `query { eventSubscriptions(ofRestApi: true) { subscriptions { ${subscription} } availableEvents } }`,
    example: {},
  },
  'POST /webhooks': {
    summary: 'Subscribe a URL to an event',
    description:
      'Subscribing a URL to an event again reactivates its subscription. Only a new `custom` subscription has a `secret` in its response. Event data above 256 KiB of JSON omits its largest properties and contains `truncated: true`; the API returns the whole record.',
    graphql: `mutation ($input: NewEventSubscription!) { createEventSubscription(input: $input) { ${subscription} secret } }`,
    status: 201,
    omitNull: ['secret'],
    example: { body: { event: 'lead.created', targetUrl: 'https://hooks.example.com/leads' } },
    errors: {
      NOT_FOUND: 'Agent not found',
      LIMIT_REACHED: 'Subscription limit reached. You can create up to 100 subscriptions.',
    },
    statuses: { LIMIT_REACHED: 429 },
  },
  'DELETE /webhooks': {
    summary: 'Delete webhook subscriptions',
    description: 'Select them by `id`, or by both `targetUrl` and `event`.',
    graphql: `mutation ($id: ID, $targetUrl: String, $event: IntegrationEvent) {
      deleteEventSubscriptions(id: $id, targetUrl: $targetUrl, event: $event) { deleted }
    }`,
    example: { query: { targetUrl: 'https://hooks.example.com/leads', event: 'lead.created' } },
  },
});
