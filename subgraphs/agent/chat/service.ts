import { fail } from '../../../schema/errors.ts';
import type { EventStream } from '../../../schema/event-stream.ts';
import { query, sql } from '../../common/database/database.ts';
import { findById } from '../../common/find.ts';
import { isId } from '../../common/ids.ts';
import { detached, type RequestScope, type Scope } from '../../common/scope.ts';
import { Agent } from '../agents/entity.ts';
import { countMessage, embeddedAgent, visitorOf } from './access.ts';
import { type BegunReply, beginReply, findByRequest, type NewMessage } from './begin.ts';
import { answerSilently, followReply, type ReplyEvent } from './follow.ts';
import { lastUserMessage, readClientId } from './message.ts';
import { repliesOf } from './replies.ts';
import { settleDead } from './settle.ts';
import { stopRunning } from './stop.ts';
import type { ReplyRef } from './store.ts';
import type { ChatArguments } from './types.ts';
import { startReply } from './write.ts';

type Sender = Pick<NewMessage, 'agent' | 'channel' | 'visitorId'>;

/** Send a message as an admin, and stream the reply. */
export async function chat(scope: RequestScope, agentId: string, input: ChatArguments): Promise<EventStream<ReplyEvent>> {
  const agent = await adminAgent(scope, agentId);
  return send(scope, scope, { agent, channel: 'admin', visitorId: scope.caller.userId }, input);
}

/** Send a message as a visitor, and stream the reply. */
export async function widgetChat(
  scope: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
  input: ChatArguments,
): Promise<EventStream<ReplyEvent>> {
  const agent = await embeddedAgent(scope, publicSlug);
  const visitor = visitorOf(visitorId);
  // The gateway resumes the requests of the REST API, whose callers cannot set `after`.
  const requestId = requestIdOf(scope);
  const isResumed = input.after > 0 && requestId !== null;
  const within = detached({ services: scope.services, organizationId: agent.organizationId });
  if (!isResumed)
    await countMessage(scope, agent, visitor).catch(async (refusal: unknown) => {
      // A request that has begun its reply was counted before.
      if (!(await findByRequest(within, { requestId, agent }))) throw refusal;
    });
  return send(scope, within, { agent, channel: 'widget', visitorId: visitor }, input);
}

async function send(request: RequestScope, scope: Scope, sender: Sender, input: ChatArguments): Promise<EventStream<ReplyEvent>> {
  const { services, signal } = request;
  if (!services.model) throw fail('UNAVAILABLE', 'No model provider is configured.');
  const { messages, conversationId = null, id, trigger, after } = input;
  const message = lastUserMessage(messages);
  const chatId = readClientId(id, 'id');
  await settleDeadReplies(scope, { ...sender, conversationId, chatId });
  const begun = await beginReply(scope, {
    ...sender,
    message,
    conversationId,
    chatId,
    regenerate: trigger === 'regenerate-message',
    requestId: requestIdOf(request),
    isResumed: after > 0,
  });
  if (begun.isSilent) return answerSilently(begun, after);
  if (isOurs(begun)) startReply(services, begun, sender, message.text);
  return followReply(services, begun, after, signal);
}

/** The id that the REST API gives each request. */
const requestIdOf = ({ request }: RequestScope) => request.headers['x-request-id'] ?? null;

const isOurs = (begun: BegunReply): begun is BegunReply & { lease: string } => begun.lease !== null;

/** The running reply of a conversation from its start, for an admin; without events when nothing runs. */
export async function followChat(scope: RequestScope, agentId: string, conversationId: string, after: number) {
  const agent = await adminAgent(scope, agentId);
  return follow(scope, scope, { agent, channel: 'admin', visitorId: scope.caller.userId }, conversationId, after);
}

/** The running reply of a conversation from its start, for its visitor; without events when nothing runs. */
export async function followWidgetChat(
  scope: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
  conversationId: string,
  after: number,
) {
  const agent = await embeddedAgent(scope, publicSlug);
  const within = detached({ services: scope.services, organizationId: agent.organizationId });
  return follow(scope, within, { agent, channel: 'widget', visitorId: visitorOf(visitorId) }, conversationId, after);
}

async function follow({ services, signal }: RequestScope, scope: Scope, sender: Sender, conversationId: string, after: number) {
  const conversation = await findConversation(scope, sender, conversationId);
  if (!conversation) throw fail('NOT_FOUND', 'Conversation not found');
  const running = await runningReply(scope, conversation);
  if (!running) return nothing();
  return followReply(services, { ...running, visitorId: sender.visitorId }, after, signal);
}

async function* nothing(): AsyncGenerator<ReplyEvent> {}

/** Stop the running reply of a conversation. It keeps what is written. Returns false when nothing runs. */
export async function stopChat(scope: RequestScope, agentId: string, conversationId: string): Promise<boolean> {
  const agent = await adminAgent(scope, agentId);
  return stop(scope, { agent, channel: 'admin', visitorId: scope.caller.userId }, conversationId);
}

/** Stop the running reply of a visitor's conversation. */
export async function stopWidgetChat(
  scope: RequestScope,
  publicSlug: string,
  visitorId: string,
  conversationId: string,
): Promise<boolean> {
  const agent = await embeddedAgent(scope, publicSlug);
  const within = detached({ services: scope.services, organizationId: agent.organizationId });
  return stop(within, { agent, channel: 'widget', visitorId: visitorOf(visitorId) }, conversationId);
}

async function stop(scope: Scope, sender: Sender, conversationId: string): Promise<boolean> {
  const conversation = await findConversation(scope, sender, conversationId);
  if (!conversation) throw fail('NOT_FOUND', 'Conversation not found');
  const stopped = await stopRunning(scope.em, conversation);
  if (stopped) repliesOf(scope.services).find(stopped)?.abort('stopped');
  return stopped !== undefined;
}

const adminAgent = ({ em }: RequestScope, agentId: string): Promise<Agent> =>
  findById(em, Agent, agentId, 'Agent', { populate: ['systemPrompt'] });

/** The conversation of a sender, by its id or by the chat id of the client. */
export async function findConversation(
  scope: Scope,
  { agent, channel, visitorId }: Sender,
  id: string,
): Promise<string | undefined> {
  const named = isId(id) ? sql`(id = ${id} or client_id = ${id})` : sql`client_id = ${id}`;
  const [found] = await query(
    scope.em,
    sql<{ id: string }>`select id from agent.conversations
                         where ${named} and agent_id = ${agent.id} and visitor_id = ${visitorId} and channel = ${channel}`,
  );
  return found?.id;
}

async function runningReply({ em, organizationId }: Scope, conversationId: string): Promise<ReplyRef | undefined> {
  const [running] = await query(
    em,
    sql<ReplyRef>`select m.id, m.organization_id as "organizationId", c.agent_id as "agentId", m.conversation_id as "conversationId"
                    from agent.messages m join agent.conversations c on c.id = m.conversation_id
                   where m.conversation_id = ${conversationId} and m.organization_id = ${organizationId} and m.status = 'running'`,
  );
  return running;
}

/** A reply whose process was killed must not block its conversation. */
async function settleDeadReplies(
  scope: Scope,
  { conversationId, chatId, ...sender }: Sender & { conversationId: string | null; chatId: string | null },
) {
  const id = conversationId ?? chatId;
  const conversation = id === null ? undefined : await findConversation(scope, sender, id);
  if (!conversation) return;
  const [dead] = await query(
    scope.em,
    sql<{
      id: string;
    }>`select id from agent.messages where conversation_id = ${conversation} and status = 'running' and leased_until < now()`,
  );
  if (dead) await settleDead(scope.services, { id: dead.id, organizationId: scope.organizationId });
}
