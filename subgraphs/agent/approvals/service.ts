import { isId, readRows } from '../../../platform/database/index.ts';
import { type ListPage, listPage, paginate } from '../../../platform/lists/index.ts';
import { detached, type RequestScope, type Scope, visiting } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { type ReplyRef, readAllChunks } from '../chat/reply-store.ts';
import { continueReply } from '../chat/reply-writing.ts';
import { repliesOf } from '../chat/running-replies.ts';
import { findChatAgent, findConversationId, type Sender, visitorSender } from '../chat/sender.ts';
import { teamName } from '../visitor-text.ts';
import { Approval, type ApprovalsArguments, type VisitorApproval } from './entity.ts';
import { sendApproved, sendStranded } from './execution.ts';
import { type Decider, decide, expiredRequests } from './requests.ts';

/** Approvals of one conversation that its visitor sees. */
export const MAX_SHOWN = 50;

/** The approvals of the organization, newest first. */
export async function listApprovals(
  scope: Scope,
  { conversationId, status, ...page }: ApprovalsArguments,
): Promise<ListPage<Approval>> {
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

/** Decide as the sender of the conversation. Returns the reply that continues or has continued, and the parts that it had before; null while other calls wait. */
export async function decideAsSender(
  { scope, agent, visitorId, channel }: Sender,
  id: string,
  approved: boolean,
): Promise<Continued | null> {
  return decideAndContinue(scope, id, approved, { party: 'visitor', agentId: agent.id, visitorId, channel });
}

/** A reply that continues after a decision, and the number of parts before. */
interface Continued {
  reply: ReplyRef;
  parts: number;
}

async function decideAndContinue(scope: Scope, id: string, approved: boolean, by: Decider): Promise<Continued | null> {
  const decided = await decide(scope, id, approved, by);
  if (!decided) return null;
  const { reply, asked, isSilent, isRepeated, isReplying } = decided;
  const { services, organizationId } = scope;
  if (isRepeated) return continuedBefore(services, asked, id, isReplying);
  if (isSilent && approved)
    services.background.start('Approved call', () => sendApproved(detached({ services, organizationId }), asked.id));
  if (!reply) return null;
  const agent = await findChatAgent(scope, reply.agentId);
  return { reply, parts: await continueReply(scope.services, reply, agent) };
}

/** The reply that continues since an earlier decision, or that ended a short time ago; null while other calls of it wait. */
async function continuedBefore(services: Services, reply: ReplyRef, id: string, isReplying: boolean): Promise<Continued | null> {
  const chunks = repliesOf(services).find(reply.id)?.chunks ?? (await readAllChunks(services.pool, reply.id));
  const asked = chunks.findIndex((chunk) => chunk.type === 'tool-approval-request' && chunk.approvalId === id);
  const parts = chunks.findIndex(({ type }, at) => at > asked && type === 'start');
  if (asked === -1) return null;
  // It has not written the next part yet.
  if (parts === -1) return isReplying ? { reply, parts: chunks.length } : null;
  return { reply, parts };
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
