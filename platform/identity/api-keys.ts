import { type EntityManager, ForeignKeyConstraintViolationException } from '@mikro-orm/postgresql';
import type { EnumValue } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { clock, findById, isId, lockName, query, sql } from '../database/index.ts';
import { type Scope, transaction } from '../scope/index.ts';
import type { Services } from '../subgraph/index.ts';
import { makeKey } from './callers.ts';
import { ApiKey } from './entity.ts';
import { checkWidening } from './members.ts';

/** Maximum keys of an organization, without revoked ones. Each key has its own rate limit, so their number is limited. */
export const MOST_API_KEYS = 100;

interface NewKey {
  organizationId: string | null;
  userId: string;
  name: string;
  /** Binds the key to a workspace of the organization. */
  workspaceId?: string | null;
  operator?: boolean;
  expiresAt?: Date | null;
  disabled?: boolean;
  /** Default: the groups that change nothing. */
  toolGroups?: EnumValue<'ToolGroup'>[];
}

/** Store a new key. Only this result contains its value. Throws `NOT_FOUND` for an unknown workspace. */
export async function insertApiKey(em: EntityManager, { disabled, toolGroups, ...properties }: NewKey) {
  if (properties.workspaceId != null && !isId(properties.workspaceId)) throw workspaceNotFound();
  const { key, prefix, hash } = makeKey();
  const apiKey = em.create(ApiKey, {
    ...properties,
    prefix,
    hash,
    disabledAt: disabled ? clock.now() : null,
    ...(toolGroups && { toolGroups: distinct(toolGroups) }),
  });
  await em.flush().catch((error: unknown) => {
    const isUnknown = error instanceof ForeignKeyConstraintViolationException && error.message.includes('api_keys_workspace');
    throw isUnknown ? workspaceNotFound() : error;
  });
  return { key, apiKey };
}

const workspaceNotFound = () => fail('NOT_FOUND', 'Workspace not found');

/**
 * Create a key for a user, bound to the organization of the scope. Throws `LIMIT_REACHED` at 100 keys, and `INVALID_INPUT` if it would
 * have expired already.
 */
export const createApiKey = (
  scope: Scope,
  properties: Pick<NewKey, 'userId' | 'name' | 'expiresAt' | 'toolGroups' | 'workspaceId'>,
) =>
  transaction(scope, async ({ em, organizationId }) => {
    if (properties.expiresAt && properties.expiresAt <= clock.now()) throw fail('INVALID_INPUT', 'expiresAt must be in the future');
    await lockName(em, `keys of ${organizationId}`);
    if ((await em.count(ApiKey, { revokedAt: null })) >= MOST_API_KEYS)
      throw fail('LIMIT_REACHED', `API key limit reached. Revoke one of the ${MOST_API_KEYS} keys first.`);
    return insertApiKey(em, { ...properties, organizationId });
  });

/** List the keys of the organization, without revoked ones, newest first. */
export const listApiKeys = ({ em }: Scope) =>
  em.find(ApiKey, { revokedAt: null }, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: MOST_API_KEYS });

/** Disable a key or enable it again. Throws `FORBIDDEN` when an admin enables the key of an owner. */
export async function switchApiKey(scope: Scope, actorId: string, id: string, enabled: boolean): Promise<ApiKey> {
  const apiKey = await findApiKey(scope, id);
  if (enabled) await checkWidening(scope, actorId, apiKey.userId);
  apiKey.disabledAt = enabled ? null : (apiKey.disabledAt ?? clock.now());
  await scope.em.flush();
  scope.services.callers.forget();
  return apiKey;
}

/** Replace the tool groups of a key. Throws `FORBIDDEN` when an admin adds one to the key of an owner. */
export async function setToolGroups(
  scope: Scope,
  actorId: string,
  { id, toolGroups }: { id: string; toolGroups: EnumValue<'ToolGroup'>[] },
): Promise<ApiKey> {
  const apiKey = await findApiKey(scope, id);
  if (toolGroups.some((group) => !apiKey.toolGroups.includes(group))) await checkWidening(scope, actorId, apiKey.userId);
  apiKey.toolGroups = distinct(toolGroups);
  await scope.em.flush();
  scope.services.callers.forget();
  return apiKey;
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Revoke a key permanently. */
export async function revokeApiKey(scope: Scope, id: string) {
  const apiKey = await findApiKey(scope, id);
  apiKey.revokedAt = clock.now();
  await scope.em.flush();
  scope.services.callers.forget();
  return { id, deleted: true };
}

/** Revoke the key with this prefix that is bound to no organization, and return its id. Throws `NOT_FOUND`. */
export async function revokeUnboundKey({ orm, callers }: Services, prefix: string): Promise<string> {
  const [revoked] = await query(
    orm.em.fork() as EntityManager,
    sql<{ id: string }>`
      update identity.api_keys set revoked_at = now() where prefix = ${prefix} and organization_id is null and revoked_at is null returning id`,
  );
  if (!revoked) throw fail('NOT_FOUND', 'No key without an organization begins with these characters.');
  callers.forget();
  return revoked.id;
}

const findApiKey = ({ em }: Scope, id: string): Promise<ApiKey> =>
  findById(em, ApiKey, id, 'API key', { where: { revokedAt: null } });
