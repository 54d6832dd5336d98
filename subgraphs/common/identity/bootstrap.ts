import type { EntityManager } from '@mikro-orm/postgresql';
import type { Word } from '../../../schema/words.ts';
import { moveCredits } from '../credits.ts';
import type { Services } from '../services.ts';
import { createApiKey } from './api-keys.ts';
import { Membership, Organization } from './entity.ts';
import { addMember, findOrCreateUser } from './members.ts';

/** What an operator may ask for from the shell. What is there already is kept, and brought to what is asked. */
export interface Bootstrap {
  /** Slug of the organization. */
  organization: string;
  email: string;
  role: Word<'Role'>;
  name?: string;
  /** Added to the balance. */
  credits?: number;
  plan?: Word<'Plan'>;
  modules?: Word<'Module'>[];
  expiresAt?: Date;
  disabled?: boolean;
}

/** Create what is missing of an organization, a user and a membership, and a key for them. The key is the only trace of its value. */
export async function bootstrapKey(
  services: Services,
  wish: Bootstrap,
): Promise<{ key: string; organization: Organization; userId: string }> {
  const { organization: slug, email, role, name = slug, credits, plan, modules, expiresAt, disabled } = wish;
  const em = services.orm.em.fork() as EntityManager;
  const organization = (await em.findOne(Organization, { slug })) ?? em.create(Organization, { slug, name });
  em.assign(organization, { plan, modules }, { ignoreUndefined: true });
  const user = await findOrCreateUser(em, email);
  em.setFilterParams('organization', { id: organization.id });
  const membership = await em.findOne(Membership, { organizationId: organization.id, userId: user.id });
  if (membership) membership.role = role;
  else addMember(em, organization.id, user.id, role);
  await em.flush();

  const scope = { em, organizationId: organization.id, services };
  const { key, apiKey } = await createApiKey(scope, { userId: user.id, name: 'Made from the shell', expiresAt, disabled });
  if (credits) await moveCredits(scope, { amount: credits, reason: 'Added from the shell', reference: `key:${apiKey.id}` });
  return { key, organization, userId: user.id };
}
