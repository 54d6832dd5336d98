import { type EntityManager, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import { query, sql } from '../../common/database.ts';
import { CreditEntry, Organization } from '../../common/identity/entity.ts';
import * as invitations from '../../common/identity/invitations.ts';
import { addMember } from '../../common/identity/members.ts';
import { checkSlug } from '../../common/identity/slugs.ts';
import { listPage, type PageRequest } from '../../common/page.ts';
import { readRows } from '../../common/rows.ts';
import type { RequestScope, Scope } from '../../common/scope.ts';
import type { NewOrganization, OrganizationChange } from './types.ts';

/** Every organization the caller is a member of, by name. */
export const listOrganizations = (scope: RequestScope) =>
  readRows(scope, Organization, {
    where: { id: scope.caller.organizations.map(({ id }) => id) },
    orderBy: { name: 'asc', id: 'asc' },
  });

/** An organization of the caller. Throws `NO_ACCESS` for any other. */
export async function findOrganization(scope: RequestScope, id: string): Promise<Organization> {
  const { organizationId } = scope.within(id);
  return (await scope.load(Organization, organizationId))!;
}

export const roleIn = (scope: RequestScope, id: string): Word<'Role'> => scope.within(id).organization.role;

/** Each organization has a fair share of what all organizations share, so a user must not found any number of them. */
const LIMIT = 20;

/**
 * Create an organization with the caller as its owner, on the lowest plan and without credits; the first one gets the trial
 * credits. Throws `LIMIT_REACHED` for an owner of 20 organizations.
 */
export async function createOrganization(scope: RequestScope, { name, slug }: NewOrganization): Promise<Organization> {
  checkSlug(slug);
  const { userId } = scope.caller;
  const creation = scope.write(async ({ em, services: { trialCredits } }) => {
    const { owned, trialUsed } = await foundingHistory(em, userId);
    if (owned >= LIMIT) throw fail('LIMIT_REACHED', `Organization limit reached. You can own up to ${LIMIT} organizations.`);
    const credits = trialUsed ? 0 : trialCredits;
    const organization = em.create(Organization, { name, slug, credits: String(credits) });
    const { id: organizationId } = organization;
    addMember(em, organizationId, userId, 'owner');
    if (credits > 0)
      em.create(CreditEntry, { organizationId, amount: credits, reason: 'Trial credits', reference: `trial:${userId}` });
    return organization;
  });
  const organization = await unlessTaken(slug, creation);
  joined(scope, organization, 'owner');
  return organization;
}

/** The number of organizations that the user owns, and whether one of them got the trial credits; locked until the commit. */
async function foundingHistory(em: EntityManager, userId: string): Promise<{ owned: number; trialUsed: boolean }> {
  await query(em, sql`select pg_advisory_xact_lock(hashtextextended(${`organizations of ${userId}`}, 0))`);
  const [history] = await query(
    em,
    sql<{ owned: number; trialUsed: boolean }>`
      select (select count(*)::int from identity.memberships where user_id = ${userId} and role = 'owner') as owned,
             exists (select 1 from identity.credit_entries where reference = ${`trial:${userId}`} and reference like 'trial:%') as "trialUsed"`,
  );
  return history!;
}

/** Accept an invitation and become a member. Throws `NOT_FOUND` when the caller has no such invitation. */
export async function acceptInvitation(scope: RequestScope, token: string): Promise<Organization> {
  const { organization, role } = await invitations.acceptInvitation(scope, scope.caller, token);
  joined(scope, organization, role);
  return organization;
}

/** Let the rest of the request see the new organization: its caller was read before the membership existed. */
function joined({ caller: { organizations }, services }: RequestScope, organization: Organization, role: Word<'Role'>): void {
  services.callers.forget();
  const { id, slug, name, plan, modules } = organization;
  if (!organizations.some((each) => each.id === id)) organizations.push({ id, slug, name, role, plan, modules });
}

/** Change the name or slug; null and absent fields stay. Throws `CONFLICT` for a slug of another organization. */
export async function updateOrganization(
  { em, organizationId, services }: Scope,
  { name, slug }: OrganizationChange,
): Promise<Organization> {
  if (slug) checkSlug(slug);
  const organization = await em.findOneOrFail(Organization, organizationId);
  organization.name = name ?? organization.name;
  organization.slug = slug ?? organization.slug;
  await unlessTaken(organization.slug, em.flush());
  services.callers.forget();
  return organization;
}

/** The ledger, newest first. */
export const listCreditEntries = (scope: Scope, page: PageRequest) =>
  listPage(
    scope,
    CreditEntry,
    { columns: ['id', 'amount', 'reason', 'createdAt'], orderBy: { createdAt: 'desc', id: 'desc' } },
    page,
  );

async function unlessTaken<T>(slug: string, write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    throw error instanceof UniqueConstraintViolationException ? fail('CONFLICT', `The slug ${slug} is taken`) : error;
  });
}
