import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { ConfigurationError } from '../../schema/environment.ts';

/** What a secret is bound to: moved to another organization or under another name, it cannot be opened. */
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
 * Secrets at rest, by AES-256-GCM. The first key seals; every key opens what it has sealed, so that one can take the place of
 * another while both are listed. A sealed secret is version, id of the key, nonce, tag and text.
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

  /** Whether it was sealed by the first key. */
  isCurrent(sealed: Buffer): boolean {
    return this.#keys[0]?.id.equals(sealed.subarray(1, 1 + ID)) ?? false;
  }

  /** Whether a listed key sealed it. */
  canOpen(sealed: Buffer): boolean {
    return sealed[0] === VERSION && this.#keys.some(({ id }) => id.equals(sealed.subarray(1, 1 + ID)));
  }

  /** Throws when no listed key has sealed it, or when it was sealed for something else. */
  open(sealed: Buffer, name: SecretName): string {
    const id = sealed.subarray(1, 1 + ID);
    const found = this.#keys.find((each) => each.id.equals(id));
    if (sealed[0] !== VERSION || !found) throw new Error('a secret was sealed by a key that SECRETS_KEY does not list');
    const iv = sealed.subarray(1 + ID, 1 + ID + IV);
    const decipher = createDecipheriv('aes-256-gcm', found.key, iv, { authTagLength: TAG }).setAAD(boundTo(name));
    decipher.setAuthTag(sealed.subarray(1 + ID + IV, HEAD));
    return Buffer.concat([decipher.update(sealed.subarray(HEAD)), decipher.final()]).toString('utf8');
  }
}

function derive(text: string): Key {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'catalog-graph secrets', 32));
  return { key, id: createHash('sha256').update(key).digest().subarray(0, ID) };
}

const boundTo = ({ organizationId, name }: SecretName): Buffer => Buffer.from(JSON.stringify([organizationId, name]));
