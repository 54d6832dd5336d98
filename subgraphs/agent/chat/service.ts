import type { EventStream } from 'compiled-gateway/event-stream';
import { Arg, Args, Ctx, ID, Mutation, Resolver, Root, Subscription } from 'type-graphql';
import { query, sql, storageRefusal } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isObject } from '../../../schema/json.ts';
import { isLonger } from '../../../schema/text.ts';
import { decideAsSender } from '../approvals/service.ts';
import { type BegunReply, beginReply, findByRequest } from './begin.ts';
import { answerSilently, followReply, type ReplyEvent } from './follow.ts';
import type { UserMessage } from './regeneration.ts';
import { type ReplyRef, stopRunning } from './reply-store.ts';
import { startReply, UNAVAILABLE_TEXT } from './reply-writing.ts';
import { repliesOf } from './running-replies.ts';
import {
  adminSender,
  countDecision,
  countMessage,
  countOfAddress,
  linkContact,
  requireConversationId,
  type Sender,
  visitorSender,
} from './sender.ts';
import {
  AdminChatArguments,
  ChatArguments,
  ChatReplyArguments,
  keepPageContext,
  NewVisitor,
  ReplyPart,
  statedContext,
  type VisitorArgument,
} from './types.ts';

@Access('admin')
@Resolver()
export class ChatResolver {
  @Subscription(() => ReplyPart, {
    description: 'Send a message to an agent and stream its reply. The reply continues when the subscription ends.',
    subscribe: ({ context, args }) => chat(context as RequestScope, args.agentId, args as AdminChatArguments),
  })
  chat(
    @Root() part: ReplyPart,
    @Id('agentId') _agentId: string,
    @Args(() => AdminChatArguments) _input: AdminChatArguments,
  ): ReplyPart {
    return part;
  }

  @Subscription(() => ReplyPart, {
    description: 'The running reply of a conversation from its first part. Ends at once when no reply is running.',
    subscribe: ({ context, args }) => followChat(context as RequestScope, args.agentId, args.conversationId, args.after),
  })
  chatReply(
    @Root() part: ReplyPart,
    @Id('agentId') _agentId: string,
    @Args(() => ChatReplyArguments) _input: ChatReplyArguments,
  ): ReplyPart {
    return part;
  }

  /** Stop the running reply of a conversation. It keeps what is written. Returns false when nothing runs. */
  @Mutation(() => Boolean, { description: 'Stop the running reply of a conversation. Returns false when no reply is running.' })
  async stopReply(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('conversationId', () => ID, { description: 'The conversation, or the chat id of the client.' }) conversationId: string,
  ): Promise<boolean> {
    return stop(await adminSender(scope, agentId), conversationId);
  }
}

@Access('public')
@Resolver()
export class WidgetChatResolver {
  @Subscription(() => ReplyPart, {
    description: 'Send a message of a visitor to an agent and stream its reply. The origin of the page must be allowed.',
    subscribe: ({ context, args }) => widgetChat(context as RequestScope, args.publicSlug, args.visitorId, args as ChatArguments),
  })
  widgetChat(
    @Root() part: ReplyPart,
    @Arg('publicSlug', () => String) _publicSlug: string,
    @Args(() => NewVisitor) _visitor: VisitorArgument,
    @Args(() => ChatArguments) _input: ChatArguments,
  ): ReplyPart {
    return part;
  }

  @Subscription(() => ReplyPart, {
    description: 'The running reply of a conversation of a visitor. Ends at once when no reply is running.',
    subscribe: ({ context, args }) =>
      followWidgetChat(context as RequestScope, args.publicSlug, args.visitorId, args.conversationId, args.after),
  })
  widgetChatReply(
    @Root() part: ReplyPart,
    @Arg('publicSlug', () => String) _publicSlug: string,
    @Args(() => NewVisitor) _visitor: VisitorArgument,
    @Args(() => ChatReplyArguments) _input: ChatReplyArguments,
  ): ReplyPart {
    return part;
  }

  @Mutation(() => Boolean, { description: 'Stop the running reply of a visitor. Returns false when no reply is running.' })
  async stopWidgetReply(
    @Ctx() scope: RequestScope,
    @Arg('publicSlug', () => String) publicSlug: string,
    @Arg('visitorId', () => String, { description: 'The visitor id of the conversation.' }) visitorId: string,
    @Arg('conversationId', () => ID, { description: 'The conversation, or the chat id of the client.' }) conversationId: string,
  ): Promise<boolean> {
    return stop(await visitorSender(scope, publicSlug, visitorId), conversationId);
  }
}

/** Send a message as an admin, and stream the reply. */
async function chat(scope: RequestScope, agentId: string, input: ChatArguments): Promise<AsyncIterable<ReplyEvent>> {
  return send(scope, await adminSender(scope, agentId), input);
}

/** Send a message as a visitor, and stream the reply. */
async function widgetChat(
  request: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
  input: ChatArguments,
): Promise<AsyncIterable<ReplyEvent>> {
  // The gateway resumes the requests of the REST API, whose callers cannot set `after`.
  const requestId = requestIdOf(request);
  const isResumed = input.after > 0 && requestId !== null;
  const counting = isResumed ? undefined : countOfAddress(request);
  // Nobody waits for it when there is no such agent.
  counting?.catch(() => {});
  const sender = await visitorSender(request, publicSlug, visitorId);
  const { scope, agent } = sender;
  const decisions = input.after > 0 ? [] : decisionsOf(input.messages);
  if (decisions.length > 0) return decideAsVisitor(request, sender, decisions);
  if (!isResumed)
    await countMessage(request, agent, sender.visitorId, counting).catch(async (refusal: unknown) => {
      // A request that has begun its reply was counted before.
      if (!(await findByRequest(scope, { requestId, agent }))) throw refusal;
    });
  return send(request, sender, input);
}

const decideAsVisitor = (request: RequestScope, sender: Sender, decisions: readonly Decision[]) =>
  countDecision(request, sender.agent, sender.visitorId, {
    isApproval: decisions.some(({ approved }) => approved),
    decide: () => decideAll(request, sender, decisions),
  });

async function send(request: RequestScope, sender: Sender, input: ChatArguments): Promise<AsyncIterable<ReplyEvent>> {
  const { services, signal } = request;
  if (!services.model) throw fail('UNAVAILABLE', 'No model provider is configured.');
  const { messages, conversationId = null, id, trigger, after, preview } = input;
  const pageContext = input.pageContext === undefined ? undefined : statedContext(input.pageContext);
  const decisions = decisionsOf(messages);
  if (decisions.length > 0 && after === 0) return decideAll(request, sender, decisions);
  const message = lastUserMessage(messages);
  const chatId = readClientId(id, 'id');
  const { scope, agent, channel, visitorId, clientId } = sender;
  const begun = await beginReply(scope, {
    ...{ agent, channel, visitorId, message, conversationId, chatId },
    regenerate: trigger === 'regenerate-message',
    requestId: requestIdOf(request),
    isResumed: after > 0,
  }).catch((error: unknown) => {
    throw channel === 'widget' && storageRefusal(error) ? fail('STORAGE_FULL', UNAVAILABLE_TEXT) : error;
  });
  if (begun.isFirst) await linkContact(scope, begun.conversationId, visitorId);
  if (pageContext !== undefined && (begun.isSilent || isOurs(begun)))
    await keepPageContext(scope, begun.conversationId, pageContext);
  const followed = { ...begun, visitorId: clientId, identityStatus: sender.identityStatus };
  if (begun.isSilent) return answerSilently(followed, after);
  if (isOurs(begun))
    startReply(services, begun, { agent, channel, identity: sender.identity, preview }, { text: message.text, pageContext });
  return followReply(services, followed, after, signal);
}

/** The id that the REST API gives each request. */
const requestIdOf = ({ request }: RequestScope) => request.headers['x-request-id'] ?? null;

const isOurs = (begun: BegunReply): begun is BegunReply & { lease: string } => begun.lease !== null;

/** The running reply of a conversation from its start, for an admin; without events when nothing runs. */
async function followChat(scope: RequestScope, agentId: string, conversationId: string, after: number) {
  return follow(scope, await adminSender(scope, agentId), conversationId, after);
}

/** The running reply of a conversation from its start, for its visitor; without events when nothing runs. */
async function followWidgetChat(
  scope: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
  conversationId: string,
  after: number,
) {
  return follow(scope, await visitorSender(scope, publicSlug, visitorId), conversationId, after);
}

async function follow({ services, signal }: RequestScope, sender: Sender, conversationId: string, after: number) {
  const running = await runningReply(sender.scope, await requireConversationId(sender, conversationId));
  if (!running) return nothing();
  const { clientId, identityStatus } = sender;
  return followReply(services, { ...running, visitorId: clientId, identityStatus }, after, signal);
}

/** Decide as clients of the AI SDK do: they send the message with their answers again. Streams the rest of the reply. */
async function decideAll(
  request: RequestScope,
  sender: Sender,
  decisions: readonly Decision[],
): Promise<AsyncIterable<ReplyEvent>> {
  let continued: Awaited<ReturnType<typeof decideAsSender>> = null;
  for (const { id, approved } of decisions) continued = (await decideAsSender(sender, id, approved)) ?? continued;
  return continued ? followContinued(request, sender, continued) : nothing();
}

/** Decide about a call as the visitor of a conversation, and stream the rest of the reply. */
export async function decideWidgetApproval(
  request: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
  id: string,
  approved: boolean,
): Promise<AsyncIterable<ReplyEvent>> {
  const sender = await visitorSender(request, publicSlug, visitorId);
  return decideAsVisitor(request, sender, [{ id, approved }]);
}

function followContinued(
  { services, signal }: RequestScope,
  { clientId, identityStatus }: Sender,
  { reply, parts }: { reply: ReplyRef; parts: number },
): EventStream<ReplyEvent> {
  return followReply(services, { ...reply, visitorId: clientId, identityStatus }, parts, signal);
}

async function* nothing(): AsyncGenerator<ReplyEvent> {}

async function stop(sender: Sender, conversationId: string): Promise<boolean> {
  const { em, services } = sender.scope;
  const stopped = await stopRunning(em, await requireConversationId(sender, conversationId));
  if (stopped) repliesOf(services).find(stopped)?.abort('stopped');
  return stopped !== undefined;
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

/** The answer of a person to a request for approval. */
interface Decision {
  id: string;
  approved: boolean;
}

/** Answers of one request. */
const MAX = 16;

/**
 * The answers in the last message of a request, as clients of the AI SDK send them: calls with the state `approval-responded`. Nothing else
 * of the message counts. Its calls and arguments are those that the service has stored.
 */
function decisionsOf(messages: readonly unknown[]): Decision[] {
  const last = messages.at(-1);
  if (!isObject(last) || last.role !== 'assistant' || !Array.isArray(last.parts)) return [];
  return last.parts.flatMap(decisionOf).slice(0, MAX);
}

function decisionOf(part: unknown): Decision[] {
  if (!isObject(part) || part.state !== 'approval-responded' || !isObject(part.approval)) return [];
  const { id, approved } = part.approval;
  return typeof id === 'string' && typeof approved === 'boolean' ? [{ id, approved }] : [];
}

/** Maximum characters of one message. */
const MAX_LENGTH = 20_000;
const MAX_ID_LENGTH = 128;

/**
 * The last user message of a request. Everything else in it is ignored, because the stored conversation is the truth: earlier messages,
 * instructions and tool results of a client cannot be trusted.
 */
function lastUserMessage(messages: readonly unknown[]): UserMessage {
  const message = messages.findLast((each) => isObject(each) && each.role === 'user');
  if (!isObject(message)) throw fail('INVALID_INPUT', 'messages must contain a message with the role user');
  const text = textsOf(message.parts).join('\n').trim();
  if (text === '') throw fail('INVALID_INPUT', 'the last user message must contain a part of type text that is not blank');
  if (isLonger(text, MAX_LENGTH)) throw fail('INVALID_INPUT', `the last user message must be at most ${MAX_LENGTH} characters`);
  return { text, clientId: readClientId(message.id, 'the id of the last user message') };
}

/** Check an id that a client chose, such as its chat id. */
function readClientId(id: unknown, name: string): string | null {
  if (id === undefined || id === null || id === '') return null;
  if (typeof id === 'string' && id.length <= MAX_ID_LENGTH) return id;
  throw fail('INVALID_INPUT', `${name} must be a text of at most ${MAX_ID_LENGTH} characters`);
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) => (isObject(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : []));
}
