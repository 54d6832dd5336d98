import type { EntityManager } from '@mikro-orm/postgresql';
import { fail } from '../../schema/errors.ts';
import type { NewSession, SignIn } from '../../schema/request.ts';
import { query, sql } from '../database/index.ts';
import { type RequestScope, transactional } from '../scope/index.ts';
import type { Services } from '../subgraph/index.ts';
import { hashKey, makeLinkToken } from './callers.ts';
import { Membership, Organization, User } from './entity.ts';
import { findOrCreateUser } from './members.ts';
import { createSession, lockSessions, signOut } from './sessions.ts';

/** Minutes for which a sign-in link is valid. */
const LINK_MINUTES = 15;

interface LinkOptions {
  email: string;
  /** Slug of the organization to open. The user must be a member of it. */
  organization?: string;
}

/** Create a token that signs a user in once, and the user if it does not exist. Only its hash is stored. */
export async function createSignInLink({ orm }: Services, { email, organization: slug }: LinkOptions): Promise<string> {
  const em = orm.em.fork() as EntityManager;
  const user = slug ? await em.findOne(User, { email: email.toLowerCase() }) : await findOrCreateUser(em, email);
  const organization = slug ? await em.findOne(Organization, { slug }) : null;
  if (organization) em.setFilterParams('organization', { id: organization.id });
  const isMember = organization && user && (await em.count(Membership, { userId: user.id }));
  if (!user || (slug && !isMember)) throw fail('NOT_FOUND', `${email} is not a member of an organization ${slug}.`);
  const token = makeLinkToken();
  await query(
    em,
    sql`insert into identity.sign_in_links (token_hash, user_id, organization_id, expires_at)
        values (${hashKey(token)}, ${user.id}, ${organization?.id ?? null}, now() + make_interval(mins => ${LINK_MINUTES}))`,
  );
  return token;
}

/**
 * Exchange the token of a link for a new session of its user. Of concurrent attempts, one succeeds. The session of the request ends,
 * because the new one replaces it in the browser.
 */
export function signInWithLink(scope: RequestScope, token: string, session: NewSession): Promise<SignIn> {
  return transactional(scope.em, async (em) => {
    const hash = hashKey(token);
    const [used] = await query(
      em,
      sql<{ userId: string; organizationId: string | null }>`
        update identity.sign_in_links set used_at = now() where token_hash = ${hash} and used_at is null and expires_at > now()
        returning user_id as "userId", organization_id as "organizationId"`,
    );
    if (!used) {
      const known = await query(em, sql`select from identity.sign_in_links where token_hash = ${hash}`);
      return { user: null, organization: null, refusal: known.length > 0 ? 'expired' : 'unknown' };
    }
    const organization = used.organizationId ? await em.findOne(Organization, used.organizationId) : null;
    return signInAs(scope, em, await em.findOneOrFail(User, used.userId), session, organization?.slug);
  });
}

/** Create a session for the user of an e-mail address that an identity provider has verified, and the user if it does not exist. */
export function signInWithEmail(
  scope: RequestScope,
  { email, name }: { email: string; name: string },
  session: NewSession,
): Promise<SignIn> {
  return transactional(scope.em, async (em) => signInAs(scope, em, await findOrCreateUser(em, email, name), session));
}

async function signInAs(
  { services, who }: RequestScope,
  em: EntityManager,
  { id, name, email }: User,
  session: NewSession,
  organization: string | null = null,
): Promise<SignIn> {
  await lockSessions(em, id);
  await signOut({ em, services, who });
  await createSession(em, id, session);
  return { user: { id, name, email }, organization, refusal: null };
}
