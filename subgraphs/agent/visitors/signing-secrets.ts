import { LockMode } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { clock, lockName, readRows } from '../../../platform/database/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { resealColumn, type SecretName, type Secrets } from '../../../platform/secrets/index.ts';
import { newSigningSecret } from '../../../platform/webhooks/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { holdAgent, requireAgent, requirePublished } from '../agents/service.ts';
import { type NewSigningSecret, SigningSecret } from './entity.ts';

type Purpose = EnumValue<'SigningPurpose'>;

/** Milliseconds for which the previous secret stays valid. */
const OVERLAP = 24 * 60 * 60 * 1_000;

/** The signing secrets of an agent without their values. Throws `NOT_FOUND`. */
export async function listSigningSecrets(scope: Scope, agentId: string): Promise<SigningSecret[]> {
  await requireAgent(scope, agentId);
  return readRows(scope, SigningSecret, { where: { agentId }, orderBy: { purpose: 'asc' } });
}

/**
 * Make the secret of a purpose, or replace it; the previous one stays valid for 24 hours. Throws `CONFLICT` while an earlier one is still
 * valid, unless `force` ends it at once.
 */
export async function rotateSigningSecret(
  scope: RequestScope,
  agentId: string,
  purpose: Purpose,
  force: boolean,
): Promise<NewSigningSecret> {
  await requirePublished(scope, agentId);
  const value = newSigningSecret();
  return scope.write(async (inner) => {
    const { em, organizationId, services } = inner;
    await holdAgent(inner, agentId);
    await lockName(em, `signing secrets of ${agentId}`);
    const known = await em.findOne(SigningSecret, { agentId, purpose }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const secret = known ?? Object.assign(new SigningSecret(), { agentId, organizationId, purpose });
    const { previousExpiresAt: until } = secret;
    if (until && until > clock.now() && !force)
      throw fail('CONFLICT', `The previous secret is valid until ${until.toISOString()}. The secret can be rotated again then.`);
    if (known) Object.assign(secret, { previousSealed: secret.sealed, previousExpiresAt: new Date(clock.ms() + OVERLAP) });
    secret.sealed = services.secrets.seal(value, signingName(secret));
    em.persist(secret);
    await em.flush();
    return { purpose, secret: value, previousExpiresAt: secret.previousExpiresAt };
  });
}

/** Throws `NOT_FOUND`. Both secrets of the purpose end at once. */
export async function deleteSigningSecret(scope: Scope, agentId: string, purpose: Purpose) {
  await requireAgent(scope, agentId);
  return transaction(scope, async ({ em }) => {
    const secret = await em.findOne(SigningSecret, { agentId, purpose });
    if (!secret) throw fail('NOT_FOUND', 'Signing secret not found');
    await em.nativeDelete(SigningSecret, { id: secret.id });
    return { id: secret.id, deleted: true };
  });
}

/** The valid secrets of a purpose, the newest first. A draft has those of its agent. None if there is none, or their key is lost. */
export async function openSigningSecrets(scope: Scope, agentId: string, purpose: Purpose): Promise<string[]> {
  const [row] = await readRows(scope, SigningSecret, {
    where: { purpose },
    matching: (bind) => `r.agent_id = (select coalesce(a.draft_of, a.id) from agent.agents a where a.id = ${bind(agentId)})`,
    isPrepared: true,
  });
  if (!row) return [];
  const { secrets } = scope.services;
  const isPreviousValid = row.previousExpiresAt !== null && row.previousExpiresAt > clock.now();
  const valid = [row.sealed, ...(isPreviousValid && row.previousSealed ? [row.previousSealed] : [])];
  return valid.filter((sealed) => secrets.canOpen(sealed)).map((sealed) => secrets.open(sealed, signingName(row)));
}

const signingName = ({ organizationId, id }: { organizationId: string; id: string }): SecretName => ({
  organizationId,
  name: `signing-secret/${id}`,
});

/** Reseal the signing secrets of agents with the first key. */
export async function resealAgentSecrets(pool: Pool, secrets: Secrets): Promise<void> {
  for (const column of ['sealed', 'previous_sealed'] as const)
    await resealColumn(pool, secrets, { table: 'agent.signing_secrets', column, nameOf: signingName });
}
