import { isId } from '../../../platform/database/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Agent } from '../agents/entity.ts';
import { countMessage, embeddedAgent, visitorOf } from '../chat/access.ts';
import { Conversation } from '../conversations/entity.ts';
import type { CustomForm } from '../forms/entity.ts';
import { insertSubmission, listEnabledForms } from '../forms/service.ts';
import { insertLead } from '../leads/service.ts';
import type { WidgetContact, WidgetReceipt, WidgetSubmission } from './types.ts';

/** The enabled forms of an agent, for a page that may embed it. */
export async function listWidgetForms(scope: RequestScope, publicSlug: string): Promise<CustomForm[]> {
  const agent = await embeddedAgent(scope, publicSlug);
  return listEnabledForms(detached({ services: scope.services, organizationId: agent.organizationId }), agent.id);
}

/** Create a lead from the contact form of a visitor. Counts against the limits of chat messages. */
export function submitContact(scope: RequestScope, publicSlug: string, input: WidgetContact): Promise<WidgetReceipt> {
  return write(scope, publicSlug, input, (inner, agent, conversationId) =>
    insertLead(inner, { agentId: agent.id, name: input.name, email: input.email, phone: input.phone, conversationId }),
  );
}

/** Store a custom form that a visitor filled in. Counts against the limits of chat messages. */
export function submitForm(scope: RequestScope, publicSlug: string, input: WidgetSubmission): Promise<WidgetReceipt> {
  const { formName, values } = input;
  return write(scope, publicSlug, input, (inner, agent, conversationId) =>
    insertSubmission(inner, { agentId: agent.id, formName, values, conversationId }),
  );
}

interface FromVisitor {
  visitorId?: string | null;
  conversationId?: string | null;
}

async function write(
  scope: RequestScope,
  publicSlug: string,
  { visitorId, conversationId }: FromVisitor,
  work: (inner: Scope, agent: Agent, conversationId: string | null) => Promise<WidgetReceipt>,
): Promise<WidgetReceipt> {
  const agent = await embeddedAgent(scope, publicSlug);
  const visitor = visitorOf(visitorId);
  await countMessage(scope, agent, visitor);
  const within = detached({ services: scope.services, organizationId: agent.organizationId });
  return scope.writeWithin(within, visitorId ? [agent.id, visitor] : null, async (inner) => {
    if (conversationId) await requireConversation(inner, { id: conversationId, agentId: agent.id, visitorId: visitor });
    const { id, createdAt } = await work(inner, agent, conversationId?.toLowerCase() ?? null);
    return { id, createdAt };
  });
}

/** Throws `NOT_FOUND` for a conversation of another visitor or agent. */
async function requireConversation({ em }: Scope, where: { id: string; agentId: string; visitorId: string }): Promise<void> {
  const found = isId(where.id) ? await em.count(Conversation, { ...where, channel: 'widget' }) : 0;
  if (found === 0) throw fail('NOT_FOUND', 'Conversation not found');
}
