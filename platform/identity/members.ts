import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import type { EnumValue } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { truncate } from '../../schema/text.ts';
import { isId, query, sql } from '../database/index.ts';
import { lockContent, type Scope, transaction } from '../scope/index.ts';
import { Membership, rank, User } from './entity.ts';

type Role = EnumValue<'Role'>;

export function addMember(em: EntityManager, organizationId: string, userId: string, role: Role): Membership {
  return em.create(Membership, { organizationId, userId, role });
}

/** List the members of the organization with their users, oldest memberships first; at most 1,000. */
export async function listMembers({ em }: Scope) {
  const memberships = await em.find(Membership, {}, { orderBy: { joinedAt: 'asc' }, limit: 1_000 });
  const users = await em.find(User, { id: { $in: memberships.map(({ userId }) => userId) } });
  const byId = new Map(users.map((user) => [user.id, user]));
  return memberships.map(({ userId, role, joinedAt }) => ({ user: byId.get(userId)!, role, joinedAt }));
}

/** Find the user of an e-mail address, ignoring case, or create one with this name. */
export async function findOrCreateUser(em: EntityManager, email: string, name = email): Promise<User> {
  const address = email.toLowerCase();
  const existing = await em.findOne(User, { email: address });
  if (existing) return existing;
  // Another command may create the same user concurrently.
  await query(
    em,
    sql`insert into identity.users (id, email, name) values (${uuid()}, ${address}, ${truncate(name, 255)}) on conflict (email) do nothing`,
  );
  return em.findOneOrFail(User, { email: address });
}

/** Change the role of a member. Only owners may grant or take the role `owner`, and one owner must remain. */
export function changeMember(scope: Scope, actorId: string, userId: string, role: Role) {
  return changeMembers(scope, actorId, async (inner, actor) => {
    checkGrant(actor, role);
    const membership = await findMembership(inner, userId);
    checkGrant(actor, membership.role);
    membership.role = role;
    await inner.em.flush();
    await requireOwner(inner);
    return { user: await inner.em.findOneOrFail(User, userId), role, joinedAt: membership.joinedAt };
  });
}

/** Remove a member. The keys of the user remain valid for the user's other organizations only, until the user becomes a member again. */
export function removeMember(scope: Scope, actorId: string, userId: string) {
  return changeMembers(scope, actorId, async (inner, actor) => {
    const membership = await findMembership(inner, userId);
    checkGrant(actor, membership.role);
    await deleteMembership(inner, membership);
    return { id: userId, deleted: true };
  });
}

/** Remove the caller from the organization. Throws `UNPROCESSABLE` for its last owner. */
export async function leave(scope: Scope, userId: string) {
  await transaction(scope, async (inner) => {
    await lockMembers(inner);
    await deleteMembership(inner, await findMembership(inner, userId));
  });
  scope.services.callers.forget();
  return { id: scope.organizationId, deleted: true };
}

/** Change the name of a user. */
export async function renameUser({ em, services }: Pick<Scope, 'em' | 'services'>, id: string, name: string): Promise<User> {
  const user = await em.findOneOrFail(User, id);
  user.name = name;
  await em.flush();
  services.callers.forget();
  return user;
}

/**
 * Serialize member changes of an organization. Each runs with the current role of the actor, because the role in the request may be
 * stale. Throws `FORBIDDEN` when the actor may no longer manage members.
 */
async function changeMembers<T>(scope: Scope, actorId: string, work: (scope: Scope, actor: Role) => Promise<T>): Promise<T> {
  const result = await transaction(scope, async (inner) => {
    await lockMembers(inner);
    return work(inner, await currentRole(inner, actorId));
  });
  scope.services.callers.forget();
  return result;
}

/**
 * Let no other transaction change members of the organization. The lock permits foreign keys to it: an invitation checks one while it holds
 * its inviter, whom a change may wait for.
 */
export const lockMembers = ({ em, organizationId }: Pick<Scope, 'em' | 'organizationId'>) =>
  query(em, sql`select id from identity.organizations where id = ${organizationId} for no key update`);

/** The role of a member, locked against changes until the transaction ends. Throws `FORBIDDEN` below admin. */
export async function currentRole({ em, organizationId }: Scope, userId: string): Promise<Role> {
  const [member] = await query(
    em,
    sql<{ role: Role }>`
      select role from identity.memberships where organization_id = ${organizationId} and user_id = ${userId} for share`,
  );
  if (!member || rank[member.role] < rank.admin) throw fail('FORBIDDEN', 'This needs the role admin in the organization.');
  return member.role;
}

/** The name of a member of the organization, who stays one until the commit. Throws `NOT_FOUND` for other users. */
export async function memberName({ em, organizationId }: Scope, userId: string): Promise<string> {
  const [member] = isId(userId)
    ? await query(
        em,
        sql`select 1 from identity.memberships where organization_id = ${organizationId} and user_id = ${userId} for share`,
      )
    : [];
  if (!member) throw fail('NOT_FOUND', 'Member not found');
  return (await em.findOneOrFail(User, userId)).name;
}

/** Throws `FORBIDDEN` when an admin would widen what the credentials of an owner can do. */
export async function checkWidening(scope: Scope, actorId: string, userId: string): Promise<void> {
  const [actor, membership] = [await currentRole(scope, actorId), await scope.em.findOne(Membership, { userId })];
  if (membership?.role === 'owner' && actor !== 'owner')
    throw fail('FORBIDDEN', 'Only an owner may enable the key of an owner or let it call more.');
}

/** Throws `FORBIDDEN` when a member with the role `actor` may not grant or take the role. */
export function checkGrant(actor: Role, role: Role): void {
  if (role === 'owner' && actor !== 'owner') throw fail('FORBIDDEN', 'Only an owner may make, change or remove an owner.');
}

/** Throws `NOT_FOUND` for a user who is no member of the organization. */
export async function findMembership({ em }: Scope, userId: string): Promise<Membership> {
  const membership = isId(userId) ? await em.findOne(Membership, { userId }) : null;
  return membership ?? Promise.reject(fail('NOT_FOUND', 'Member not found'));
}

/** Also deletes the memberships of workspaces, which are content. A change of them holds the lock before it reads the membership. */
async function deleteMembership(scope: Scope, membership: Membership): Promise<void> {
  await lockContent(scope);
  await scope.em.remove(membership).flush();
  await requireOwner(scope);
}

/** Throws `UNPROCESSABLE` for an organization without an owner. */
export async function requireOwner({ em, organizationId }: Pick<Scope, 'em' | 'organizationId'>): Promise<void> {
  const owners = await query(
    em,
    sql`select 1 from identity.memberships where organization_id = ${organizationId} and role = 'owner' limit 1`,
  );
  if (owners.length === 0) throw fail('UNPROCESSABLE', 'An organization needs at least one owner.');
}
