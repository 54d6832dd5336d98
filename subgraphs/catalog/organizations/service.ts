import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import { moveCredits } from '../../common/credits.ts';
import { CreditEntry, Organization } from '../../common/identity/entity.ts';
import { addMember } from '../../common/identity/members.ts';
import { checkSlug } from '../../common/identity/slugs.ts';
import { listPage, type PageRequest } from '../../common/page.ts';
import { readRows } from '../../common/rows.ts';
import type { RequestScope, Scope } from '../../common/scope.ts';
import type { NewCredits, NewOrganization, OrganizationChange } from './types.ts';

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

/** Create an organization with the caller as its owner: plan free, no credits. */
export async function createOrganization(scope: RequestScope, { name, slug }: NewOrganization): Promise<Organization> {
  checkSlug(slug);
  const organization = scope.em.create(Organization, { name, slug });
  addMember(scope.em, organization.id, scope.caller.userId, 'owner');
  await unlessTaken(slug, () => scope.em.flush());
  scope.services.callers.forget();
  // The caller was read before there was this organization, and may be asked for its role or members next.
  const { id, plan, modules } = organization;
  scope.caller.organizations.push({ id, slug, name, role: 'owner', plan, modules });
  return organization;
}

export async function updateOrganization(
  { em, organizationId, services }: Scope,
  { modules, ...change }: OrganizationChange,
): Promise<Organization> {
  if (change.slug) checkSlug(change.slug);
  const organization = await em.findOneOrFail(Organization, organizationId);
  em.assign(organization, { ...change, ...(modules && { modules: [...new Set(modules)] }) }, { ignoreUndefined: true });
  await unlessTaken(organization.slug, () => em.flush());
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

export async function addCredits(scope: Scope, { amount, reason, reference = uuid() }: NewCredits): Promise<Organization> {
  await moveCredits(scope, { amount, reason, reference: `added:${reference}` });
  return scope.em.fork().findOneOrFail(Organization, scope.organizationId);
}

async function unlessTaken(slug: string, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    throw error instanceof UniqueConstraintViolationException ? fail('CONFLICT', `The slug ${slug} is taken`) : error;
  });
}
