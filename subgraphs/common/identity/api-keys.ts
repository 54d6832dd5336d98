import { fail } from '../../../schema/errors.ts';
import { isId } from '../ids.ts';
import type { Scope } from '../scope.ts';
import { ApiKey } from './entity.ts';
import { makeKey } from './keys.ts';

/** A key for this user, bound to the organization of the scope. The value is in the answer and nowhere else. */
export async function createApiKey(
  { em, organizationId }: Scope,
  {
    userId,
    name,
    expiresAt = null,
    disabled = false,
  }: { userId: string; name: string; expiresAt?: Date | null; disabled?: boolean },
) {
  const { key, prefix, hash } = makeKey();
  const apiKey = em.create(ApiKey, {
    organizationId,
    userId,
    name,
    prefix,
    hash,
    expiresAt,
    disabledAt: disabled ? new Date() : null,
  });
  await em.flush();
  return { key, apiKey };
}

/** The keys made in the organization that are not revoked, newest first; at most 1,000. */
export const listApiKeys = ({ em }: Scope) =>
  em.find(ApiKey, { revokedAt: null }, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 1_000 });

export async function switchApiKey(scope: Scope, id: string, enabled: boolean): Promise<ApiKey> {
  const apiKey = await findApiKey(scope, id);
  apiKey.disabledAt = enabled ? null : (apiKey.disabledAt ?? new Date());
  await scope.em.flush();
  scope.services.callers.forget();
  return apiKey;
}

/** End a key for good; it is unknown from now on. */
export async function revokeApiKey(scope: Scope, id: string) {
  const apiKey = await findApiKey(scope, id);
  apiKey.revokedAt = new Date();
  await scope.em.flush();
  scope.services.callers.forget();
  return { id, deleted: true };
}

async function findApiKey({ em }: Scope, id: string): Promise<ApiKey> {
  const apiKey = isId(id) ? await em.findOne(ApiKey, { id, revokedAt: null }) : null;
  return apiKey ?? Promise.reject(fail('NOT_FOUND', 'API key not found'));
}
