import { v7 as uuid } from 'uuid';
import { lockName, query, sql } from '../../../platform/database/index.ts';
import { refuseBeyond } from '../../../platform/rate-limit/index.ts';
import { detached, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { IDENTITY_HEADER, networkOf } from '../../../schema/request.ts';
import type { Agent } from '../agents/entity.ts';
import { holdAgent } from '../agents/service.ts';
import { VERIFIED } from '../conversations/entity.ts';
import type { Identity, VisitorIdentity } from './entity.ts';
import { type IdentityFault, readIdentity } from './identity-token.ts';

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
export async function signIn(requested: RequestScope, agent: SiteAgent, browserId: string): Promise<SignedIn> {
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

/** Conversations of the browser become those of the person. Only its own pages know the id of a browser. */
async function joinConversations(
  { em, organizationId }: Scope,
  { agentId, browserId, visitorId, contactId }: Joining,
): Promise<void> {
  await query(
    em,
    sql`update agent.conversations c set visitor_id = ${visitorId}, contact_id = ${contactId}
         where c.agent_id = ${agentId} and c.organization_id = ${organizationId} and c.visitor_id = ${browserId} and c.channel = 'widget'
           and not exists (select from agent.conversations o where o.agent_id = c.agent_id and o.visitor_id = ${visitorId}
                              and o.client_id = c.client_id)`,
  );
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
