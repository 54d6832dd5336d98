import { randomUUID } from 'node:crypto';
import { MAX, NIL, v7 as uuid } from 'uuid';
import { canonicalId, isId, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import { type RateCount, refuseBeyond } from '../../../platform/rate-limit/index.ts';
import { detached, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { IDENTITY_HEADER, networkOf } from '../../../schema/request.ts';
import { Agent } from '../agents/entity.ts';
import { holdAgent } from '../agents/service.ts';
import { VERIFIED } from '../conversations/entity.ts';
import { appendEvent, isOpen } from '../handoff/handoff-state.ts';
import type { Identity, VisitorIdentity } from '../visitors/entity.ts';
import { type IdentityFault, readIdentity } from '../visitors/identity-token.ts';
import type { NewMessage } from './begin.ts';

/** An agent as its chats use it. */
interface ChatAgent extends Agent {
  /** Whether its organization has the module `helpdesk`. */
  hasHelpdesk: boolean;
  /** Whether it has enabled tools, and passages of sources. Read with its version, which they belong to. */
  hasTools: boolean;
  hasPassages: boolean;
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
const TOOLS = 'exists (select from agent.tools t where t.agent_id = r.id and t.enabled)';
const PASSAGES = 'exists (select from agent.sources s where s.agent_id = coalesce(r.draft_of, r.id) and s.chunk_count > 0)';
const SELECTED = { columns: COLUMNS, joined: { hasHelpdesk: HELPDESK, hasTools: TOOLS, hasPassages: PASSAGES } };

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
export const countOfAddress = ({ services, request }: RequestScope, points = 0): Promise<RateCount> =>
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

type SiteAgent = Pick<Agent, 'id' | 'organizationId' | 'publicSlug' | 'identityKeysUrl'>;

/** The sender of a request, as conversations name it. */
export interface SignedIn {
  visitorId: string;
  identity: Identity | null;
  identityStatus: EnumValue<'IdentityStatus'>;
}

/**
 * The visitor of a request: the person that the site has signed in, or else the browser. The first request of a person joins the
 * conversations that the same browser had before, and no others. Throws `RATE_LIMITED` for a flood of first requests or of tokens that are not
 * valid.
 */
async function signIn(requested: RequestScope, agent: SiteAgent, browserId: string): Promise<SignedIn> {
  const { request, services } = requested;
  const token = request.headers[IDENTITY_HEADER];
  if (!token) return { visitorId: browserId, identity: null, identityStatus: 'none' };
  const scope = detached({ services, organizationId: agent.organizationId });
  const identity = await readIdentity(scope, agent, token);
  if (isFault(identity)) {
    await countToken(requested);
    return { visitorId: browserId, identity: null, identityStatus: identity.status };
  }
  const known = await findVisitor(scope, agent.id, identity);
  if (!known) await countToken(requested);
  const { id, contactId } = known ?? (await transaction(scope, (inner) => addVisitor(inner, agent.id, identity)));
  const visitorId = VERIFIED + id;
  await joinConversations(scope, { agentId: agent.id, browserId, visitorId, contactId });
  return { visitorId, identity, identityStatus: 'verified' };
}

async function countToken({ request, services }: RequestScope): Promise<void> {
  const address = networkOf(request.headers['x-client-address']);
  refuseBeyond(await services.chatLimits.identity.count(address), 'identity tokens');
}

/** The identity of the token of a request, for the developer of a site. Stores nothing. Throws `RATE_LIMITED`. */
export async function checkIdentity(requested: RequestScope, agent: SiteAgent): Promise<VisitorIdentity> {
  const { request, services } = requested;
  const nobody = { error: null, subject: null, name: null, email: null, expiresAt: null };
  const token = request.headers[IDENTITY_HEADER];
  if (!token) return { ...nobody, status: 'none' };
  await countToken(requested);
  const identity = await readIdentity(detached({ services, organizationId: agent.organizationId }), agent, token);
  if (isFault(identity)) return { ...nobody, ...identity };
  const { subject, name, email, expiresAt } = identity;
  return { status: 'verified', error: null, subject, name, email, expiresAt: new Date(expiresAt) };
}

const isFault = (identity: Identity | IdentityFault): identity is IdentityFault => 'status' in identity;

interface Known {
  id: string;
  contactId: string;
}

/** The visitor of a subject. A changed name or address of the token changes the contact. */
async function findVisitor({ em, organizationId }: Scope, agentId: string, identity: Identity): Promise<Known | undefined> {
  const { subject, name, email } = identity;
  const [known] = await query(
    em,
    sql<Known & { isChanged: boolean }>`
      select v.id, v.contact_id as "contactId",
             (c.email, c.name) is distinct from (coalesce(${email?.toLowerCase() ?? null}, c.email), coalesce(${name}, c.name)) as "isChanged"
        from agent.visitors v join agent.contacts c on c.id = v.contact_id
       where v.agent_id = ${agentId} and v.subject = ${subject} and v.organization_id = ${organizationId}`,
  );
  if (known?.isChanged)
    await query(
      em,
      sql`update agent.contacts set email = coalesce(${email?.toLowerCase() ?? null}, email), name = coalesce(${name}, name), updated_at = now()
           where id = ${known.contactId} and not exists (select from agent.erasures where id = ${known.contactId})`,
    );
  return known;
}

/** Two first requests of a person add one visitor, whose contact nobody else shares. */
async function addVisitor(scope: Scope, agentId: string, identity: Identity): Promise<Known> {
  const { em, organizationId } = scope;
  await holdAgent(scope, agentId);
  await lockName(em, `visitor ${identity.subject} of ${agentId}`);
  const known = await findVisitor(scope, agentId, identity);
  if (known) return known;
  const [id, contactId] = [uuid(), uuid()];
  const { subject, name, email } = identity;
  await query(
    em,
    sql`insert into agent.contacts (id, organization_id, email, name, verified)
        values (${contactId}, ${organizationId}, ${email?.toLowerCase() ?? null}, ${name}, true)`,
  );
  await query(
    em,
    sql`insert into agent.visitors (id, organization_id, agent_id, contact_id, subject)
        values (${id}, ${organizationId}, ${agentId}, ${contactId}, ${subject})`,
  );
  return { id, contactId };
}

interface Joining {
  agentId: string;
  browserId: string;
  visitorId: string;
  contactId: string;
}

/**
 * Conversations of the browser become those of the person, and the tokens from before are revoked. Only its own pages know the id of a
 * browser.
 */
async function joinConversations(scope: Scope, { agentId, browserId, visitorId, contactId }: Joining): Promise<void> {
  const { em, organizationId } = scope;
  const joined = await query(
    em,
    sql<{ id: string; handoffStatus: string | null; operatorName: string | null }>`
        update agent.conversations c set visitor_id = ${visitorId}, contact_id = ${contactId}, handoff_version = handoff_version + 1
         where c.agent_id = ${agentId} and c.organization_id = ${organizationId} and c.visitor_id = ${browserId} and c.channel = 'widget'
           and not exists (select from agent.conversations o where o.agent_id = c.agent_id and o.visitor_id = ${visitorId}
                              and o.client_id = c.client_id)
        returning id, handoff_status as "handoffStatus",
                  (select operator_name from agent.handoffs h where h.id = c.handoff_id) as "operatorName"`,
  );
  // Operators see who the visitor is, and streams with an earlier token end at this event.
  for (const { id, handoffStatus, operatorName } of joined)
    if (isOpen(handoffStatus)) await appendEvent(scope, id, { type: 'status', party: 'visitor', operatorName });
}

/** Link a conversation that a person began to the contact of the person, unless it has one. */
export async function linkContact({ em, organizationId }: Scope, conversationId: string, visitorId: string): Promise<void> {
  if (!visitorId.startsWith(VERIFIED)) return;
  await query(
    em,
    sql`update agent.conversations c set contact_id = v.contact_id from agent.visitors v
         where c.id = ${conversationId} and c.organization_id = ${organizationId} and c.contact_id is null
           and c.visitor_id = ${visitorId} and v.id = ${visitorId.slice(VERIFIED.length)}::uuid`,
  );
}
