import type { Word } from '../../../schema/words.ts';
import type { Samples } from '../../common/webhooks/test-event.ts';

const id = '00000000-0000-4000-8000-000000000000';
const createdAt = '2026-01-01T00:00:00.000Z';
const agentName = 'Sample agent';

const ticket = {
  ticketNumber: 'TKT-0',
  subject: 'Sample ticket',
  status: 'new',
  priority: 'normal',
  requesterEmail: 'visitor@example.com',
};

/** Payloads of test deliveries. Their ids belong to no record. */
export const samples = {
  'lead.created': {
    id,
    name: 'Sample visitor',
    email: 'visitor@example.com',
    phone: null,
    contactId: id,
    conversationId: null,
    agentId: id,
    agentName,
    createdAt,
  },
  'form.submitted': {
    id,
    formName: 'sample',
    values: { message: 'Sample message' },
    conversationId: null,
    agentName,
    createdAt,
    message: 'Sample message',
  },
  'ticket.created': ticket,
  'ticket.assigned': { ...ticket, status: 'on_you', assignedToUserId: id, assignedToName: 'Sample teammate' },
  'ticket.status_changed': { ...ticket, status: 'closed', previousStatus: 'on_you' },
  'ticket.replied': {
    ...ticket,
    status: 'on_customer',
    reply: { id, authorName: 'Sample teammate', excerpt: 'Sample reply', createdAt },
  },
} as const satisfies Samples & Record<Word<'IntegrationEvent'>, Record<string, unknown>>;
