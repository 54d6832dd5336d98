import { clock, findById, lockName, readRows } from '../../../platform/database/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { requireAgent } from '../agents/service.ts';
import { Secret } from './entity.ts';
import type { NewSecret } from './types.ts';
import { listUses, secretsLock } from './uses.ts';
import { secretName } from './values.ts';

const MAX_SECRETS = 200;

/** All secrets of the organization without their values, sorted by name. */
export async function listSecrets(scope: Scope, agentId?: string | null): Promise<Secret[]> {
  if (agentId) await requireAgent(scope, agentId);
  return readRows(scope, Secret, { orderBy: { name: 'asc' } }, { limit: MAX_SECRETS, offset: 0 });
}

/** Throws `CONFLICT` if the name is taken. */
export async function createSecret(scope: RequestScope, { name, value }: NewSecret, agentId?: string | null): Promise<Secret> {
  if (agentId) await requireAgent(scope, agentId);
  return scope.write(async (inner) => {
    const { em, organizationId, services } = inner;
    // The lock keeps the count and the name valid until the commit.
    await lockName(inner.em, secretsLock(inner));
    if (await em.count(Secret, { name })) throw fail('CONFLICT', `A secret with the name ${name} already exists`);
    if ((await em.count(Secret)) >= MAX_SECRETS) throw fail('UNPROCESSABLE', `An organization has at most ${MAX_SECRETS} secrets.`);
    const secret = new Secret();
    Object.assign(secret, { name, organizationId });
    secret.sealed = services.secrets.seal(value, secretName(secret));
    em.persist(secret);
    return withoutValue(secret);
  });
}

/** Replace the value. Throws `NOT_FOUND`. */
export function replaceSecret(scope: Scope, id: string, value: string): Promise<Secret> {
  return transaction(scope, async ({ em, services }) => {
    const secret = await findById(em, Secret, id, 'Secret');
    secret.sealed = services.secrets.seal(value, secretName(secret));
    secret.updatedAt = clock.now();
    await em.flush();
    return withoutValue(secret);
  });
}

/** Throws `NOT_FOUND`, or `CONFLICT` with the names of the tools that need the secret. */
export async function deleteSecret(scope: Scope, id: string, agentId?: string | null) {
  if (agentId) await requireAgent(scope, agentId);
  return transaction(scope, async (inner) => {
    await lockName(inner.em, secretsLock(inner));
    const secret = await findById(inner.em, Secret, id, 'Secret');
    const uses = await listUses(inner, secret.name);
    if (uses.length > 0) throw fail('CONFLICT', `The secret ${secret.name} is used by ${uses.join(', ')}`);
    await inner.em.nativeDelete(Secret, { id: secret.id });
    return { id: secret.id, deleted: true };
  });
}

/** A plain copy, so that no stored response of a request contains the value. */
const withoutValue = ({ id, organizationId, name, createdAt, updatedAt }: Secret): Secret =>
  Object.assign(Object.create(Secret.prototype), { id, organizationId, name, createdAt, updatedAt });
