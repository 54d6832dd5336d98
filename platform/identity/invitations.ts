import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import type { EnumValue } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { clock, findById, lockName, query, sql } from '../database/index.ts';
import { dropMailsOf, enqueueMail } from '../mail/index.ts';
import type { Caller } from '../scope/index.ts';
import { type Scope, transaction, transactional } from '../scope/index.ts';
import { hashKey, makeToken } from './callers.ts';
import { Invitation, Organization } from './entity.ts';
import { checkGrant, currentRole } from './members.ts';

type Role = EnumValue<'Role'>;

/** Maximum open invitations of an organization. */
export const MOST_INVITATIONS = 100;
const FIND_BY_TOKEN = `
  select o.name as organization, i.email, i.role, u.name as inviter, i.expires_at as "expiresAt"
    from identity.invitations i join identity.organizations o on o.id = i.organization_id join identity.users u on u.id = i.inviter_id
   where i.token_hash = $1 and i.expires_at > now()`;
const LIFETIME = 7 * 24 * 60 * 60 * 1_000;

/**
 * Invite the user of an e-mail address. A second invitation replaces the first and its token. The result does not reveal whether such a
 * user exists. The link is mailed if an SMTP server and the public URL are configured, up to the daily limit of mails. Throws
 * `CONFLICT` for a member of the organization, and `FORBIDDEN` for a role above that of the inviter.
 */
export async function inviteMember(
  scope: Scope,
  inviterId: string,
  { email, role }: { email: string; role: Role },
): Promise<{ token: string; invitation: Invitation; mailed: boolean }> {
  const address = email.toLowerCase();
  const token = makeToken();
  const created = await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    await lockName(em, `invitations of ${organizationId}`);
    // The role of the request may be out of date.
    const inviterRole = await currentRole(inner, inviterId);
    checkGrant(inviterRole, role);
    await checkNoMember(inner, address);
    await em.nativeDelete(Invitation, { expiresAt: { $lte: clock.now() } });
    const existing = await em.findOne(Invitation, { email: address });
    if (existing) checkGrant(inviterRole, existing.role);
    else if ((await em.count(Invitation)) >= MOST_INVITATIONS)
      throw fail('LIMIT_REACHED', `Invitation limit reached. An organization can have up to ${MOST_INVITATIONS} open invitations.`);
    const createdAt = clock.now();
    const offer = {
      role,
      inviterId,
      tokenHash: hashKey(token),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + LIFETIME),
    };
    const invitation = existing ? em.assign(existing, offer) : em.create(Invitation, { ...offer, organizationId, email: address });
    await em.flush();
    return { invitation, mailed: await mailInvitation(inner, invitation, token) };
  });
  return { token, ...created };
}

/** Mail the link of a new token, in English and German, because the language of the user is unknown. A mail with an earlier token is dropped. Returns whether the mail will be sent. */
async function mailInvitation(scope: Scope, { id, email, inviterId }: Invitation, token: string): Promise<boolean> {
  const { em, services, organizationId } = scope;
  if (!services.mail || !services.publicUrl) return false;
  await dropMailsOf(scope, [id]);
  const { name } = await em.findOneOrFail(Organization, organizationId);
  return enqueueMail(scope, {
    kind: 'invitation',
    recordId: id,
    sourceId: uuid(),
    recipient: email,
    userId: inviterId,
    subject: `Invitation to ${name} · Einladung zu ${name}`,
    text:
      `You are invited to join ${name}. Open this link to accept, within seven days:\n\n{link}\n\n` +
      `Sie sind eingeladen, ${name} beizutreten. Mit diesem Link nehmen Sie innerhalb von sieben Tagen an:\n\n{link}`,
    link: `${services.publicUrl}/invitation/${token}`,
  });
}

/** List the open invitations of the organization, newest first; at most 100 exist. */
export const listInvitations = ({ em }: Scope) =>
  em.find(Invitation, { expiresAt: { $gt: clock.now() } }, { orderBy: { createdAt: 'desc', id: 'desc' } });

/** The open invitation with this token, or null. The holder of the token may read it. */
export async function findByToken({ services }: Pick<Scope, 'services'>, token: string) {
  const { rows } = await services.pool.query(FIND_BY_TOKEN, [hashKey(token)]);
  return rows[0] ? { ...rows[0], expiresAt: new Date(rows[0].expiresAt) } : null;
}

/** Revoke an invitation. Throws `NOT_FOUND`, and `FORBIDDEN` when the user may not grant its role. */
export function revokeInvitation(scope: Scope, userId: string, id: string) {
  return transaction(scope, async (inner) => {
    const role = await currentRole(inner, userId);
    const invitation = await findById(inner.em, Invitation, id, 'Invitation');
    checkGrant(role, invitation.role);
    await inner.em.nativeDelete(Invitation, { id });
    await dropMailsOf(inner, [id]);
    return { id, deleted: true };
  });
}

/**
 * Accept an invitation and make the user a member. Throws the same `NOT_FOUND` for a token that is unknown, used, revoked or expired, or
 * that belongs to another e-mail address. In the last case, the invitation stays open.
 */
export async function acceptInvitation({ em, services }: Pick<Scope, 'em' | 'services'>, { userId, email }: Caller, token: string) {
  const acceptance = (inner: EntityManager) =>
    query(
      inner,
      sql<{ organizationId: string; role: Role }>`
      with accepted as (
        delete from identity.invitations where token_hash = ${hashKey(token)} and email = ${email} and expires_at > now()
        returning organization_id, role
      )
      insert into identity.memberships as m (organization_id, user_id, role) select organization_id, ${userId}, role from accepted
      on conflict (organization_id, user_id) do update set role = m.role returning organization_id as "organizationId", role`,
    );
  const [membership] = await transactional(em, acceptance);
  if (!membership) throw fail('NOT_FOUND', 'Invitation not found');
  services.callers.forget();
  return { organization: await em.findOneOrFail(Organization, membership.organizationId), role: membership.role };
}

async function checkNoMember({ em, organizationId }: Scope, email: string): Promise<void> {
  const members = await query(
    em,
    sql`select 1 from identity.users u join identity.memberships m on m.user_id = u.id
         where u.email = ${email} and m.organization_id = ${organizationId}`,
  );
  if (members.length > 0) throw fail('CONFLICT', `${email} is a member already`);
}
