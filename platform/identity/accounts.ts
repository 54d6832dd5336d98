import { userInfo } from 'node:os';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { type EnumValue, reservedSlugs } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { balanceOf, moveCredits } from '../credits/index.ts';
import { isId, query, sql } from '../database/index.ts';
import { type ListPage, listPage, type PageRequest } from '../lists/index.ts';
import { type Scope, transactional } from '../scope/index.ts';
import { Organization } from './entity.ts';

/** The part of an organization that only operators change. */
export interface Account {
  id: string;
  slug: string;
  plan: EnumValue<'Plan'>;
  modules: EnumValue<'Module'>[];
  credits: number;
  /** Bytes; absent if the quota of the plan applies. */
  storageQuota?: number;
}

export interface AccountChange {
  /** Id or slug. */
  organization: string;
  /** Added to the balance; a negative amount takes credits back. */
  credits?: number | null;
  /** Shown in the ledger of the organization. */
  reason?: string | null;
  /** Credits with the same reference are added once. */
  reference?: string | null;
  plan?: EnumValue<'Plan'> | null;
  /** Replaces the current modules. */
  modules?: EnumValue<'Module'>[] | null;
  /** Bytes; 0 for the quota of the plan. */
  storageQuota?: number | null;
}

/** The author of an account change, recorded with it. */
export interface Operator {
  name: string;
  /** Absent for changes from the shell. */
  keyId?: string;
}

/** The operator who runs a command on this machine. */
export function shellOperator(): Operator {
  try {
    return { name: `shell: ${userInfo().username}` };
  } catch {
    // A container may run as a user id without a name.
    return { name: `shell: uid ${process.getuid?.() ?? 'unknown'}` };
  }
}

/** List accounts by slug. `search` matches a part of the slug or the whole id. */
export async function listAccounts(
  scope: Scope,
  { search, ...page }: PageRequest & { search?: string | null },
): Promise<ListPage<Account>> {
  const { nodes, pagination } = await listPage(
    scope,
    Organization,
    {
      columns: ['id', 'slug', 'plan', 'modules', 'credits', 'storageQuota'],
      ...(search && { matching: (bind) => matching(bind(search)) }),
      orderBy: { slug: 'asc' },
    },
    page,
  );
  return { nodes: nodes.map((each) => accountOf(each, Number(each.credits))), pagination };
}

/** The ledger and the balance have four decimals. Rounding only their sum would let them differ. */
const rounded = (credits: number): number => Number(credits.toFixed(4));

const matching = (value: string) => `(strpos(r.slug, ${value}) > 0 or r.id::text = ${value})`;

/**
 * Change credits, plan, modules and storage quota in one transaction that also records the operator and the account before and after.
 * Throws `NOT_FOUND`, `INVALID_INPUT` for an amount that rounds to 0, and `UNPROCESSABLE` when the balance would become negative.
 */
export async function updateAccount(
  { em, services }: Pick<Scope, 'em' | 'services'>,
  operator: Operator,
  { organization: idOrSlug, credits, reason, reference, plan, modules, storageQuota }: AccountChange,
): Promise<Account> {
  const amount = rounded(credits ?? 0);
  if (typeof credits === 'number' && amount === 0) throw fail('INVALID_INPUT', 'credits must not be 0');
  const account = await transactional(em, async (inner) => {
    const organization = await findLocked(inner, idOrSlug);
    const scope = { em: inner, organizationId: organization.id, services };
    const before = accountOf(organization, Number(organization.credits));
    if (plan) organization.plan = plan;
    if (typeof storageQuota === 'number') organization.storageQuota = Math.round(storageQuota) || null;
    if (modules) organization.modules = [...new Set(modules)];
    await inner.flush();
    if (amount !== 0) {
      const movement = {
        amount,
        reason: reason ?? 'Changed by the operator',
        reference: `operator:${reference ?? uuid()}`,
      };
      if (!(await moveCredits(scope, movement))) throw fail('UNPROCESSABLE', `The balance is only ${before.credits} credits.`);
    }
    const after = accountOf(organization, await balanceOf(scope));
    await record(scope, operator, before, after);
    return after;
  });
  services.callers.forget();
  return account;
}

async function findLocked(em: EntityManager, idOrSlug: string): Promise<Organization> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
  // A slug may have the form of an id, so match ids first.
  const organization =
    (isId(idOrSlug) && (await em.findOne(Organization, { id: idOrSlug }, lock))) ||
    (await em.findOne(Organization, { slug: idOrSlug }, lock));
  return organization || Promise.reject(fail('NOT_FOUND', `Organization ${idOrSlug} not found`));
}

const accountOf = ({ id, slug, plan, modules, storageQuota }: Organization, credits: number): Account => ({
  id,
  slug,
  plan,
  modules: [...modules],
  credits,
  ...(storageQuota !== null && { storageQuota }),
});

async function record({ em, organizationId }: Scope, { name, keyId }: Operator, before: Account, after: Account): Promise<void> {
  const [previous, current] = [JSON.stringify(before), JSON.stringify(after)];
  if (previous === current) return;
  await query(
    em,
    sql`insert into identity.account_changes (id, organization_id, operator, key_id, before, after)
        values (${uuid()}, ${organizationId}, ${name}, ${keyId ?? null}, ${previous}::jsonb, ${current}::jsonb)`,
  );
}

/** Throws `INVALID_INPUT` for reserved words, which other paths start with, and for ids, which name organizations in the same places. */
export function checkSlug(slug: string): void {
  if (reservedSlugs.includes(slug)) throw fail('INVALID_INPUT', `slug must not be one of ${reservedSlugs.join(', ')}`);
  if (isId(slug)) throw fail('INVALID_INPUT', 'slug must not have the form of an id');
}
