import type { EntityManager } from '@mikro-orm/postgresql';
import { conflictIfTaken, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import { addMember, CreditEntry, checkSlug, invitations, Organization } from '../../../platform/identity/index.ts';
import { listPage, type PageRequest, sizeOf } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import type { NewOrganization, OrganizationChange } from './types.ts';

/** All organizations of the caller, sorted by name. */
export const listOrganizations = (scope: RequestScope) =>
  readRows(scope, Organization, {
    where: { id: scope.caller.organizations.map(({ id }) => id) },
    orderBy: { name: 'asc', id: 'asc' },
  });

/** Throws `NO_ACCESS` unless the caller is a member. */
export async function findOrganization(scope: RequestScope, id: string): Promise<Organization> {
  const { organizationId } = scope.within(id);
  return (await scope.load(Organization, organizationId))!;
}

export const roleIn = (scope: RequestScope, id: string): EnumValue<'Role'> => scope.within(id).organization.role;

/** Organizations share resources evenly, so a user must not multiply their share by creating many. */
const LIMIT = 20;

/**
 * Creates an organization on the free plan with the caller as its owner. Only the first one receives trial credits. Throws
 * `LIMIT_REACHED` if the caller owns 20 organizations.
 */
export async function createOrganization(scope: RequestScope, { name, slug }: NewOrganization): Promise<Organization> {
  checkSlug(slug);
  const { userId } = scope.caller;
  const creation = scope.write(async ({ em, services: { trialCredits } }) => {
    const { owned, trialUsed } = await foundingHistory(em, userId);
    if (owned >= LIMIT) throw fail('LIMIT_REACHED', `Organization limit reached. You can own up to ${LIMIT} organizations.`);
    const credits = trialUsed ? 0 : trialCredits;
    const created = em.create(Organization, { name, slug, credits: String(credits) });
    const { id: organizationId } = created;
    addMember(em, organizationId, userId, 'owner');
    if (credits > 0)
      em.create(CreditEntry, { organizationId, amount: credits, reason: 'Trial credits', reference: `trial:${userId}` });
    return created;
  });
  const organization = await creation.catch(conflictIfTaken(takenSlug(slug)));
  addMembership(scope, organization, 'owner');
  return organization;
}

/** The number of owned organizations and whether trial credits were granted. Holds a lock on the user until the commit. */
async function foundingHistory(em: EntityManager, userId: string): Promise<{ owned: number; trialUsed: boolean }> {
  await lockName(em, `organizations of ${userId}`);
  const [history] = await query(
    em,
    sql<{ owned: number; trialUsed: boolean }>`
      select (select count(*)::int from identity.memberships where user_id = ${userId} and role = 'owner') as owned,
             exists (select 1 from identity.credit_entries where reference = ${`trial:${userId}`} and reference like 'trial:%') as "trialUsed"`,
  );
  return history!;
}

/** Accepts an invitation. Throws `NOT_FOUND` if the caller has no such invitation. */
export async function acceptInvitation(scope: RequestScope, token: string): Promise<Organization> {
  const { organization, role } = await invitations.acceptInvitation(scope, scope.caller, token);
  addMembership(scope, organization, role);
  return organization;
}

/** Adds the membership to the caller, who was loaded before it existed. */
function addMembership(
  { caller: { organizations }, services }: RequestScope,
  organization: Organization,
  role: EnumValue<'Role'>,
): void {
  services.callers.forget();
  const { id, slug, name, plan, modules } = organization;
  if (!organizations.some((each) => each.id === id)) organizations.push({ id, slug, name, role, plan, modules });
}

/** Changes the name or slug; null and omitted fields stay unchanged. Throws `CONFLICT` if the slug is taken. */
export async function updateOrganization(
  { em, organizationId, services }: Scope,
  { name, slug }: OrganizationChange,
): Promise<Organization> {
  if (slug) checkSlug(slug);
  const organization = await em.findOneOrFail(Organization, organizationId);
  organization.name = name ?? organization.name;
  organization.slug = slug ?? organization.slug;
  await em.flush().catch(conflictIfTaken(takenSlug(organization.slug)));
  services.callers.forget();
  return organization;
}

/** The credit ledger, newest first. */
export const listCreditEntries = (scope: Scope, page: PageRequest) =>
  listPage(
    scope,
    CreditEntry,
    { columns: ['id', 'organizationId', 'amount', 'reason', 'reference', 'createdAt'], orderBy: { createdAt: 'desc', id: 'desc' } },
    page,
    sizeOf('credit_entries'),
  );

const takenSlug = (slug: string) => `The slug ${slug} is taken`;
