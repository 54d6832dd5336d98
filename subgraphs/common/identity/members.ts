import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import { query, sql } from '../database.ts';
import { isId } from '../ids.ts';
import { type Scope, transaction } from '../scope.ts';
import { Membership, User } from './entity.ts';
import { rank } from './level.ts';

type Role = Word<'Role'>;

export function addMember(em: EntityManager, organizationId: string, userId: string, role: Role): Membership {
  return em.create(Membership, { organizationId, userId, role });
}

/** All members of the organization with their users, longest first; at most 1,000. */
export async function listMembers({ em }: Scope) {
  const memberships = await em.find(Membership, {}, { orderBy: { joinedAt: 'asc' }, limit: 1_000 });
  const users = await em.find(User, { id: { $in: memberships.map(({ userId }) => userId) } });
  const byId = new Map(users.map((user) => [user.id, user]));
  return memberships.map(({ userId, role, joinedAt }) => ({ user: byId.get(userId)!, role, joinedAt }));
}

/** The user of this e-mail address in any case, created when there is none. */
export async function findOrCreateUser(em: EntityManager, email: string): Promise<User> {
  const address = email.toLowerCase();
  const known = await em.findOne(User, { email: address });
  if (known) return known;
  // Two commands may create the same user at the same time.
  await query(
    em,
    sql`insert into identity.users (id, email, name) values (${uuid()}, ${address}, ${email}) on conflict (email) do nothing`,
  );
  return em.findOneOrFail(User, { email: address });
}

/** Give a member another role; nobody can be given more than the giver is, and one owner stays. */
export function changeMember(scope: Scope, giverId: string, userId: string, role: Role) {
  return changeMembers(scope, giverId, async (inner, giver) => {
    checkGift(giver, role);
    const membership = await findMembership(inner, userId);
    checkGift(giver, membership.role);
    membership.role = role;
    await inner.em.flush();
    await requireOwner(inner);
    return { user: await inner.em.findOneOrFail(User, userId), role, joinedAt: membership.joinedAt };
  });
}

/** Remove a member; the keys the user made keep working for the user's other organizations only. */
export function removeMember(scope: Scope, giverId: string, userId: string) {
  return changeMembers(scope, giverId, async (inner, giver) => {
    const membership = await findMembership(inner, userId);
    checkGift(giver, membership.role);
    await inner.em.remove(membership).flush();
    await requireOwner(inner);
    return { id: userId, deleted: true };
  });
}

/**
 * Changes of the members of an organization run one after the other, each with the role that the giver has by then: the one of the
 * request may be out of date. Throws `FORBIDDEN` for a giver who may no longer manage members.
 */
async function changeMembers<T>(scope: Scope, giverId: string, work: (scope: Scope, giver: Role) => Promise<T>): Promise<T> {
  const result = await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    await query(em, sql`select id from identity.organizations where id = ${organizationId} for update`);
    const giver = await em.findOne(Membership, { userId: giverId });
    if (!giver || rank[giver.role] < rank.admin) throw fail('FORBIDDEN', 'This needs the role admin in the organization.');
    return work(inner, giver.role);
  });
  scope.services.callers.forget();
  return result;
}

/** Throws `FORBIDDEN` when a member with the role `giver` may not grant or take the role. */
export function checkGift(giver: Role, role: Role): void {
  if (role === 'owner' && giver !== 'owner') throw fail('FORBIDDEN', 'Only an owner may make, change or remove an owner.');
}

async function findMembership({ em }: Scope, userId: string): Promise<Membership> {
  const membership = isId(userId) ? await em.findOne(Membership, { userId }) : null;
  return membership ?? Promise.reject(fail('NOT_FOUND', 'Member not found'));
}

async function requireOwner({ em, organizationId }: Scope): Promise<void> {
  const owners = await query(
    em,
    sql`select 1 from identity.memberships where organization_id = ${organizationId} and role = 'owner' limit 1`,
  );
  if (owners.length === 0) throw fail('UNPROCESSABLE', 'An organization needs at least one owner.');
}
