import { type EntityManager, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import { query, sql } from '../database.ts';
import { isId } from '../ids.ts';
import { type Scope, transaction } from '../scope.ts';
import { Membership, User } from './entity.ts';

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

/** The user of this e-mail address, made when there is none. Addresses differ by more than case. */
export async function findOrCreateUser(em: EntityManager, email: string, name = email): Promise<User> {
  const address = email.toLowerCase();
  const known = await em.findOne(User, { email: address });
  if (known) return known;
  // Two organizations may add the same person at the same time.
  await query(
    em,
    sql`insert into identity.users (id, email, name) values (${uuid()}, ${address}, ${name}) on conflict (email) do nothing`,
  );
  return em.findOneOrFail(User, { email: address });
}

/** Make a user a member. Throws `CONFLICT` for one who is, and `FORBIDDEN` for a role above the giver's. */
export async function createMember(scope: Scope, giver: Role, { email, name, role }: { email: string; name?: string; role: Role }) {
  checkGift(giver, role);
  const user = await findOrCreateUser(scope.em, email, name);
  const membership = addMember(scope.em, scope.organizationId, user.id, role);
  await scope.em.flush().catch((error: unknown) => {
    throw error instanceof UniqueConstraintViolationException ? fail('CONFLICT', `${user.email} is a member already`) : error;
  });
  scope.services.callers.forget();
  return { user, role, joinedAt: membership.joinedAt };
}

/** Give a member another role; nobody can be given more than the giver is, and one owner stays. */
export function changeMember(scope: Scope, giver: Role, userId: string, role: Role) {
  checkGift(giver, role);
  return change(scope, async (inner) => {
    const membership = await findMembership(inner, userId);
    checkGift(giver, membership.role);
    membership.role = role;
    await inner.em.flush();
    await requireOwner(inner);
    return { user: await inner.em.findOneOrFail(User, userId), role, joinedAt: membership.joinedAt };
  });
}

/** Remove a member; the keys the user made keep working for the user's other organizations only. */
export function removeMember(scope: Scope, giver: Role, userId: string) {
  return change(scope, async (inner) => {
    const membership = await findMembership(inner, userId);
    checkGift(giver, membership.role);
    await inner.em.remove(membership).flush();
    await requireOwner(inner);
    return { id: userId, deleted: true };
  });
}

/** One transaction, and what is remembered of callers is forgotten after it. */
async function change<T>(scope: Scope, work: (scope: Scope) => Promise<T>): Promise<T> {
  const result = await transaction(scope, work);
  scope.services.callers.forget();
  return result;
}

function checkGift(giver: Role, role: Role): void {
  if (role === 'owner' && giver !== 'owner') throw fail('FORBIDDEN', 'Only an owner may make, change or remove an owner.');
}

async function findMembership({ em }: Scope, userId: string): Promise<Membership> {
  const membership = isId(userId) ? await em.findOne(Membership, { userId }) : null;
  return membership ?? Promise.reject(fail('NOT_FOUND', 'Member not found'));
}

/** Of two owners who remove each other at the same time, the second waits here and is refused. */
async function requireOwner({ em, organizationId }: Scope): Promise<void> {
  await query(em, sql`select id from identity.organizations where id = ${organizationId} for update`);
  const owners = await query(
    em,
    sql`select 1 from identity.memberships where organization_id = ${organizationId} and role = 'owner' limit 1`,
  );
  if (owners.length === 0) throw fail('UNPROCESSABLE', 'An organization needs at least one owner.');
}
