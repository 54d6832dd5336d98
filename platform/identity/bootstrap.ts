import type { EntityManager } from '@mikro-orm/postgresql';
import type { EnumValue } from '../../schema/enums.ts';
import { transactional } from '../scope/index.ts';
import type { Services } from '../subgraph/index.ts';
import { type AccountChange, shellOperator, updateAccount } from './accounts.ts';
import { insertApiKey } from './api-keys.ts';
import { Membership, Organization } from './entity.ts';
import { addMember, findOrCreateUser, lockMembers, requireOwner } from './members.ts';

/** Options of a key for one organization. They also update an existing organization, user or membership. */
export interface Bootstrap extends Pick<AccountChange, 'credits' | 'reference' | 'plan' | 'modules'> {
  /** Slug of the organization. */
  organization: string;
  email: string;
  /** By default that of the membership, or owner for a new one. */
  role?: EnumValue<'Role'>;
  name?: string;
  expiresAt?: Date;
  disabled?: boolean;
  toolGroups?: EnumValue<'ToolGroup'>[];
  /** Id of a workspace of the organization that the key is bound to. */
  workspaceId?: string;
}

/**
 * Create an API key, and the organization, user and membership if they do not exist. Only this result contains the key. Throws
 * `UNPROCESSABLE` when the role would leave the organization without an owner.
 */
export async function bootstrapKey(
  services: Services,
  {
    organization: slug,
    email,
    role,
    name = slug,
    credits,
    reference,
    plan,
    modules,
    expiresAt,
    disabled,
    toolGroups,
    workspaceId,
  }: Bootstrap,
): Promise<{ key: string; organization: Organization; userId: string }> {
  const em = services.orm.em.fork() as EntityManager;
  const organization = (await em.findOne(Organization, { slug })) ?? em.create(Organization, { slug, name });
  const user = await findOrCreateUser(em, email);
  em.setFilterParams('organization', { id: organization.id });
  await transactional(em, async (inner) => {
    const within = { em: inner, organizationId: organization.id };
    await lockMembers(within);
    const membership = await inner.findOne(Membership, { organizationId: organization.id, userId: user.id });
    if (!membership) addMember(inner, organization.id, user.id, role ?? 'owner');
    else if (role) membership.role = role;
    await inner.flush();
    if (membership && role) await requireOwner(within);
  });

  const change = { organization: organization.id, credits, reference, reason: 'Added from the shell', plan, modules };
  await updateAccount({ em, services }, shellOperator(), change);
  const key = { organizationId: organization.id, userId: user.id, name: FROM_SHELL, expiresAt, disabled, toolGroups, workspaceId };
  return { key: (await insertApiKey(em, key)).key, organization, userId: user.id };
}

const FROM_SHELL = 'Made from the shell';

/** Options of a key that is bound to no organization. */
export interface UnboundKey {
  email: string;
  /** Whether the key may change accounts of organizations, and nothing else. */
  operator: boolean;
  expiresAt?: Date;
  disabled?: boolean;
  toolGroups?: EnumValue<'ToolGroup'>[];
}

/** Create an API key that is bound to no organization, and its user if it does not exist. Only this result contains the key. */
export async function createUnboundKey(services: Services, { email, ...options }: UnboundKey): Promise<string> {
  const em = services.orm.em.fork() as EntityManager;
  const user = await findOrCreateUser(em, email);
  const { key } = await insertApiKey(em, { ...options, organizationId: null, userId: user.id, name: FROM_SHELL });
  return key;
}
