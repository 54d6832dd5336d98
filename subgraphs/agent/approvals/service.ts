import { isId, readRows } from '../../../platform/database/index.ts';
import { listPage, type Page, paginate } from '../../../platform/lists/index.ts';
import { detached, type RequestScope, type Scope, visiting } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { continueReply } from '../chat/reply-writing.ts';
import { findChatAgent, findConversationId, type Sender, visitorSender } from '../chat/sender.ts';
import { teamName } from '../visitor-text.ts';
import { type Decider, decide, expiredRequests, type Reopened } from './decisions.ts';
import { Approval, type ApprovalsArguments, type VisitorApproval } from './entity.ts';
import { sendApproved, sendStranded } from './execution.ts';

/** Approvals of one conversation that its visitor sees. */
export const MAX_SHOWN = 50;

/** The approvals of the organization, newest first. */
export async function listApprovals(
  scope: Scope,
  { conversationId, status, ...page }: ApprovalsArguments,
): Promise<Page<Approval>> {
  if (conversationId && !isId(conversationId)) return paginate([], page, 0);
  const where = { ...(conversationId && { conversationId }), ...(status && { status }) };
  return listPage(scope, Approval, { where, orderBy: { createdAt: 'desc', id: 'desc' } }, page);
}

/** Decide as a member of the team. The reply continues in the background. Throws like `decide`. */
export async function decideAsOperator(scope: RequestScope, id: string, approved: boolean): Promise<Approval> {
  const { userId, name } = scope.caller;
  await decideAndContinue(scope, id, approved, { party: 'operator', userId, name: teamName(name) });
  const [approval] = await readRows(detached(scope), Approval, { where: { id } });
  return approval!;
}

/** Decide as the sender of the conversation. Returns the reply that continues, and the parts that it had; null while other calls wait. */
export async function decideAsSender(
  { scope, agent, visitorId, channel }: Sender,
  id: string,
  approved: boolean,
): Promise<{ reply: Reopened; parts: number } | null> {
  return decideAndContinue(scope, id, approved, { party: 'visitor', agentId: agent.id, visitorId, channel });
}

async function decideAndContinue(scope: Scope, id: string, approved: boolean, by: Decider) {
  const decided = await decide(scope, id, approved, by);
  if (!decided) return null;
  const { reply, messageId, isSilent } = decided;
  const { services, organizationId } = scope;
  if (isSilent && approved)
    services.background.start('Approved call', () => sendApproved(detached({ services, organizationId }), messageId));
  if (!reply) return null;
  const agent = await findChatAgent(scope, reply.agentId);
  return { reply, parts: await continueReply(scope.services, reply, agent) };
}

/** The newest approvals in a conversation of a visitor, oldest first. Empty for a conversation of somebody else. */
export async function listOfVisitor(
  request: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
  conversation: string,
): Promise<VisitorApproval[]> {
  const sender = await visitorSender(request, publicSlug, visitorId);
  const conversationId = await findConversationId(sender, conversation);
  if (conversationId === undefined) return [];
  const found = await readRows(
    visiting(request, sender.agent.organizationId),
    Approval,
    { where: { conversationId }, orderBy: { createdAt: 'desc', id: 'desc' } },
    { limit: MAX_SHOWN, offset: 0 },
  );
  return found.reverse();
}

/** End requests whose time has passed, so that the model answers, and send approved calls of killed processes. */
export async function sweepApprovals(services: Services): Promise<void> {
  if (services.model)
    for (const { id, organizationId } of await expiredRequests(services.pool))
      await decideAndContinue(detached({ services, organizationId }), id, false, { party: 'clock' }).catch((err: unknown) =>
        // The conversation is being answered. The next sweep tries again.
        log.info({ err, approvalId: id }, 'Could not end a request for approval'),
      );
  await sendStranded(services);
}
