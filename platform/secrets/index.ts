/** Encrypts secrets with keys that rotate, and compares them in constant time. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { ConfigurationError } from '../../schema/environment.ts';
import { log } from '../telemetry/index.ts';

/** The context of a secret, authenticated by the encryption. The secret cannot be opened under another context. */
export interface SecretName {
  organizationId: string;
  name: string;
}

interface Key {
  id: Buffer;
  key: Buffer;
}

const VERSION = 1;
const [ID, IV, TAG] = [4, 12, 16];
const HEAD = 1 + ID + IV + TAG;

/**
 * Encrypts secrets at rest with AES-256-GCM. The first key seals and all keys open, which allows key rotation. A sealed secret consists of
 * version, key id, nonce, tag and ciphertext.
 */
export class Secrets {
  readonly #keys: Key[];

  constructor(keys: readonly string[]) {
    this.#keys = keys.map(derive);
  }

  seal(text: string, name: SecretName): Buffer {
    const [first] = this.#keys;
    if (!first) throw new ConfigurationError(['SECRETS_KEY is required']);
    const iv = randomBytes(IV);
    const cipher = createCipheriv('aes-256-gcm', first.key, iv).setAAD(boundTo(name));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), first.id, iv, cipher.getAuthTag(), sealed]);
  }

  /** The key that signs tokens of one purpose. */
  tokenKey(purpose: string): Uint8Array {
    const [first] = this.tokenKeys(purpose);
    if (!first) throw new ConfigurationError(['SECRETS_KEY is required']);
    return first;
  }

  /** The token keys of all listed keys. They verify the tokens of processes that list the keys in another order. */
  tokenKeys(purpose: string): Uint8Array[] {
    return this.#keys.map(({ key }) => new Uint8Array(hkdfSync('sha256', key, '', `catalog-graph token ${purpose}`, 32)));
  }

  /** Whether the first key sealed it. */
  isCurrent(sealed: Buffer): boolean {
    return this.#keys[0]?.id.equals(sealed.subarray(1, 1 + ID)) ?? false;
  }

  /** Whether a listed key sealed it. */
  canOpen(sealed: Buffer): boolean {
    return sealed[0] === VERSION && this.#keys.some(({ id }) => id.equals(sealed.subarray(1, 1 + ID)));
  }

  /** Decrypt a secret. Throws when no listed key sealed it, or when it was sealed for another context. */
  open(sealed: Buffer, name: SecretName): string {
    const id = sealed.subarray(1, 1 + ID);
    const match = this.#keys.find((each) => each.id.equals(id));
    if (sealed[0] !== VERSION || !match) throw new Error('a secret is encrypted with a key that SECRETS_KEY does not contain');
    const iv = sealed.subarray(1 + ID, 1 + ID + IV);
    const decipher = createDecipheriv('aes-256-gcm', match.key, iv, { authTagLength: TAG }).setAAD(boundTo(name));
    decipher.setAuthTag(sealed.subarray(1 + ID + IV, HEAD));
    return Buffer.concat([decipher.update(sealed.subarray(HEAD)), decipher.final()]).toString('utf8');
  }
}

function derive(text: string): Key {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'catalog-graph secrets', 32));
  return { key, id: createHash('sha256').update(key).digest().subarray(0, ID) };
}

const boundTo = ({ organizationId, name }: SecretName): Buffer => Buffer.from(JSON.stringify([organizationId, name]));

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Whether a value that a caller sent is this secret. Takes the same time for every value of a length. */
export const isSecret = (secret: string, value: unknown): boolean =>
  typeof value === 'string' && timingSafeEqual(digest(secret), digest(value));

const PAGE = 500;

/** A table with sealed secrets, an `id` and an `organization_id`. */
interface SealedColumn {
  table: 'webhooks.subscriptions' | 'agent.secrets' | 'agent.signing_secrets';
  column: 'secret' | 'previous_secret' | 'sealed' | 'previous_sealed';
  nameOf(row: { id: string; organizationId: string }): SecretName;
}

interface Row {
  id: string;
  organizationId: string;
  secret: Buffer;
}

/**
 * Reseal secrets of earlier keys with the first key, so that the earlier keys can be removed. Skips secrets whose key is not listed.
 * Several workers may run it concurrently.
 */
export async function resealColumn(pool: Pool, secrets: Secrets, sealed: SealedColumn): Promise<void> {
  const { table, column } = sealed;
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await pool.query<Row>(
      `select id, organization_id as "organizationId", ${column} as secret from ${table}
        where id > $1 and ${column} is not null order by id limit ${PAGE}`,
      [after],
    );
    for (const row of rows) if (!secrets.isCurrent(row.secret)) await reseal(pool, secrets, sealed, row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

async function reseal(
  pool: Pool,
  secrets: Secrets,
  { table, column, nameOf }: SealedColumn,
  { secret, ...row }: Row,
): Promise<void> {
  const name = nameOf(row);
  if (!secrets.canOpen(secret)) return log.warn({ table, id: row.id }, 'SECRETS_KEY does not list the key that sealed a secret');
  // Keep a secret that was replaced concurrently.
  await pool.query(`update ${table} set ${column} = $2 where id = $1 and ${column} = $3`, [
    row.id,
    secrets.seal(secrets.open(secret, name), name),
    secret,
  ]);
}

const name = { organizationId: '', name: 'canary' };
const TEXT = 'SECRETS_KEY fits this database';

const wrongKey = () =>
  new ConfigurationError([
    'SECRETS_KEY is not the key that encrypted the secrets in this database. Set it to the earlier key, or to <new>,<earlier> to replace that one; ' +
      '`npm start` stores its key in secrets.key of the data folder',
  ]);

/**
 * Check that `SECRETS_KEY` is the key of this database. The first process stores a sealed canary; later processes must be able to open it.
 * Throws `ConfigurationError` when none of the keys fits. Safe when several processes start at the same time.
 */
export async function checkSecretsKey(pool: Pool, secrets: Secrets): Promise<void> {
  const canary = (await readCanary(pool)) ?? (await createCanary(pool, secrets));
  if (!secrets.canOpen(canary)) throw wrongKey();
}

async function readCanary(pool: Pool): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ sealed: Buffer }>('select sealed from identity.secrets_canary');
  return rows[0]?.sealed;
}

async function createCanary(pool: Pool, secrets: Secrets): Promise<Buffer> {
  await pool.query('insert into identity.secrets_canary (sealed) values ($1) on conflict do nothing', [secrets.seal(TEXT, name)]);
  return (await readCanary(pool))!;
}

/** Reseal the canary with the first key. From then on, processes must list that key and may omit the earlier ones. */
export async function resealCanary(pool: Pool, secrets: Secrets): Promise<void> {
  const canary = await readCanary(pool);
  if (!canary || secrets.isCurrent(canary)) return;
  // Another worker may have resealed it concurrently.
  await pool.query('update identity.secrets_canary set sealed = $1 where sealed = $2', [secrets.seal(TEXT, name), canary]);
}
