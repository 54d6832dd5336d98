import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { ConfigurationError } from '../../schema/environment.ts';

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
