import { randomUUID } from 'node:crypto';
import { MAX, NIL } from 'uuid';
import { canonicalId, isId, query, readRows, sql } from '../../../platform/database/index.ts';
import { type Counted, refuseBeyond } from '../../../platform/rate-limit/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { networkOf } from '../../../schema/request.ts';
import { Agent } from '../agents/entity.ts';
import { type SignedIn, signIn } from '../visitors/visitor-sign-in.ts';
import type { NewMessage } from './begin.ts';

/** An agent as its chats use it. */
interface ChatAgent extends Agent {
  /** Whether its organization has the module `helpdesk`. */
  hasHelpdesk: boolean;
}

/** A caller who writes to an agent. */
export interface Sender extends Pick<NewMessage, 'channel' | 'visitorId'>, Pick<SignedIn, 'identity' | 'identityStatus'> {
  agent: ChatAgent;
  /** The id of the sender in responses. A signed-in visitor has another one in stored conversations, which no client may know. */
  clientId: string;
  /** Reaches the conversations of the sender. */
  scope: Scope;
}

/** The columns of an agent that its replies and its widget need. They are read as plain rows, because hydrating an entity costs more. */
const COLUMNS = [
  'id',
  'organizationId',
  'name',
  'publicSlug',
  'modelType',
  'systemPrompt',
  'temperature',
  'maxTokensPerMessage',
  'maxRetrievalTokens',
  'welcomeMessage',
  'placeholder',
  'suggestedMessages',
  'theme',
  'branding',
  'allowedOrigins',
  'voiceEnabled',
  'catalogAccess',
  'catalogAttributes',
  'productPage',
  'productPictures',
  'dailyCreditLimit',
  'identityKeysUrl',
  'requireApprovals',
  'draftOf',
  'liveVersion',
] as const satisfies readonly (keyof Agent)[];
const HELPDESK = `(select 'helpdesk' = any(modules) from identity.organizations o where o.id = r.organization_id)`;
const SELECTED = { columns: COLUMNS, joined: { hasHelpdesk: HELPDESK } };

/** An agent as its chats use it. Throws `NOT_FOUND`. */
export async function findChatAgent(scope: Scope, agentId: string): Promise<ChatAgent> {
  const [agent] = isId(agentId) ? await readRows(scope, Agent, { ...SELECTED, where: { id: agentId } }) : [];
  if (!agent) throw fail('NOT_FOUND', 'Agent not found');
  return agent as ChatAgent;
}

/** An admin who tries an agent. Throws `NOT_FOUND` for an unknown agent. */
export async function adminSender(scope: RequestScope, agentId: string): Promise<Sender> {
  const agent = await findChatAgent(scope, agentId);
  const { userId } = scope.caller;
  return { scope, agent, channel: 'admin', visitorId: userId, clientId: userId, identity: null, identityStatus: 'none' };
}

/** A visitor of a page that may embed the agent. The scope is detached, because a reply outlives its request. */
export async function visitorSender(request: RequestScope, publicSlug: string, visitorId?: string | null): Promise<Sender> {
  const agent = await embeddedAgent(request, publicSlug);
  const scope = detached({ services: request.services, organizationId: agent.organizationId });
  const clientId = visitorOf(visitorId);
  return { scope, agent, channel: 'widget', clientId, ...(await signIn(request, agent, clientId)) };
}

/** The id of a conversation of the sender, which `id` or the chat id of the client names. */
export async function findConversationId(
  { scope, agent, channel, visitorId }: Pick<Sender, 'scope' | 'agent' | 'channel' | 'visitorId'>,
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

/** Like `findConversationId`. Throws `NOT_FOUND`. */
export async function requireConversationId(sender: Sender, id: string): Promise<string> {
  const found = await findConversationId(sender, id);
  if (found === undefined) throw fail('NOT_FOUND', 'Conversation not found');
  return found;
}

/** Origins must match exactly. The dashboard may always embed the widget. */
export function isAllowedOrigin(
  origin: string | null,
  allowedOrigins: readonly string[],
  dashboardOrigins: readonly string[],
): boolean {
  return origin !== null && (dashboardOrigins.includes(origin) || allowedOrigins.includes(origin));
}

/**
 * The agent of a public slug, for a page that may embed it. Throws `NOT_FOUND` if the agent is unknown or not public, and `FORBIDDEN` if
 * the origin of the request is not allowed.
 */
export async function embeddedAgent(scope: RequestScope, publicSlug: string): Promise<ChatAgent> {
  const { services, signal } = scope;
  // Visitors have no organization, so the public slug alone identifies the agent.
  const anywhere = { organizationId: null, services, signal };
  const [agent] = await readRows(anywhere, Agent, { ...SELECTED, where: { publicSlug, publicAccess: true, draftOf: null } });
  if (!agent) throw fail('NOT_FOUND', 'Agent not found');
  const origin = scope.request.headers.origin ?? null;
  if (!isAllowedOrigin(origin, agent.allowedOrigins, services.dashboardOrigins))
    throw fail('FORBIDDEN', 'The origin of this page may not embed the agent.');
  return agent as ChatAgent;
}

/** Ids that every library can make, so that they identify nobody. */
const SHARED_IDS: readonly string[] = [NIL, MAX];

/** The id of a visitor, or a new one. Only ids of this form are accepted, because guessable ids would expose conversations. */
function visitorOf(visitorId: string | null | undefined): string {
  if (visitorId === null || visitorId === undefined || visitorId === '') return randomUUID();
  const id = canonicalId(visitorId);
  if (!isId(id) || SHARED_IDS.includes(id))
    throw fail('INVALID_INPUT', 'the visitor id must be a UUID, such as the one in X-Visitor-Id');
  return id;
}

/** The visitor of a request: the person that the site has signed in, or else the browser. */
export const signedInVisitor = (request: RequestScope, agent: ChatAgent, visitorId: string | null | undefined): Promise<SignedIn> =>
  signIn(request, agent, visitorOf(visitorId));

/** The visitor of a request, as conversations name it. */
export const visitorIdOf = async (request: RequestScope, agent: ChatAgent, visitorId: string | null | undefined): Promise<string> =>
  (await signedInVisitor(request, agent, visitorId)).visitorId;

/** Read the count of the messages of an address, or increase it. */
export const countOfAddress = ({ services, request }: RequestScope, points = 0): Promise<Counted> =>
  services.chatLimits.address.count(networkOf(request.headers['x-client-address']), points);

/** Run a decision about a call. Only an approval that the service accepts counts as a message of its visitor, but each one of its address. */
export async function countDecision<T>(
  scope: RequestScope,
  agent: Pick<Agent, 'id'>,
  visitorId: string,
  { isApproval, decide }: { isApproval: boolean; decide(): Promise<T> },
): Promise<T> {
  if (isApproval) await countMessage(scope, agent, visitorId);
  else refuseBeyond(await countOfAddress(scope, 1), 'messages');
  return decide().catch(async (error: unknown) => {
    if (isApproval) await scope.services.chatLimits.visitor.count(keyOf(agent, visitorId), -1);
    throw error;
  });
}

const keyOf = (agent: Pick<Agent, 'id'>, visitorId: string) => `${agent.id}:${visitorId}`;

/**
 * Count a message against the limits of its visitor and of its address. Throws `RATE_LIMITED` with the seconds to wait.
 * @param reading the count of the address, if it is read already
 */
export async function countMessage(
  scope: RequestScope,
  agent: Pick<Agent, 'id'>,
  visitorId: string,
  reading = countOfAddress(scope),
): Promise<void> {
  // Counting a visitor writes a row, and an address can invent any number of visitors.
  const before = await reading;
  refuseBeyond({ ...before, allowed: before.remaining > 0 }, 'messages');
  // Before the address, so that the refused messages of one visitor do not use up the limit that an office shares.
  refuseBeyond(await scope.services.chatLimits.visitor.count(keyOf(agent, visitorId)), 'messages');
  refuseBeyond(await countOfAddress(scope, 1), 'messages');
}
