import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';
import { OutboundRefused } from '../../../platform/outbound/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/** The keys of a site could not be read. The text is for its developer. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

type LocalKeySet = ReturnType<typeof createLocalJWKSet>;

interface KnownSet {
  keys: Promise<LocalKeySet>;
  readAt: number;
}

/** Milliseconds that a set is used, and before an unknown key causes another read. */
const [MAX_AGE, COOLDOWN] = [10 * 60_000, 30_000];
/** Sets to keep, keys and bytes of one, and the time limit of a read. */
const [MAX_SETS, MAX_KEYS, MAX_BYTES, TIMEOUT] = [500, 50, 64 * 1024, 5_000];

/** By organization and URL, the most recently used last. */
const known = new Map<string, KnownSet>();

/** The keys of a JWKS URL, as `jwtVerify` takes them. Throws `KeysUnavailable` when they cannot be read. */
export async function keySetOf(scope: Scope, url: string) {
  const find = await read(scope, url, MAX_AGE);
  return async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    try {
      return await find(header, token);
    } catch (error) {
      // The site may have rotated its keys.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return (await read(scope, url, COOLDOWN))(header, token);
    }
  };
}

function read(scope: Scope, url: string, maxAge: number): Promise<LocalKeySet> {
  const name = `${scope.organizationId} ${url}`;
  const found = known.get(name);
  known.delete(name);
  const isFresh = found !== undefined && performance.now() - found.readAt < maxAge;
  const set = isFresh ? found : { keys: download(scope, url), readAt: performance.now() };
  known.set(name, set);
  const [oldest] = known.keys();
  if (known.size > MAX_SETS) known.delete(oldest!);
  // A failed read must not last.
  if (!isFresh) set.keys.catch(() => known.get(name) === set && known.delete(name));
  return set.keys;
}

async function download({ services, organizationId }: Scope, url: string): Promise<LocalKeySet> {
  try {
    const outbound = services.outbound.ownedBy(organizationId);
    const { status, body } = await outbound.request(url, { accept: 'application/json', timeoutMs: TIMEOUT, maxBytes: MAX_BYTES });
    if (status !== 200) throw new KeysUnavailable(`The URL of keys answered with status ${status}.`);
    const set = JSON.parse(body.toString('utf8')) as JSONWebKeySet;
    const keys = set.keys.filter(({ kty }) => kty === 'RSA' || kty === 'EC').slice(0, MAX_KEYS);
    return createLocalJWKSet({ keys });
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    if (error instanceof OutboundRefused) throw new KeysUnavailable(`The URL of keys cannot be read: ${error.message}`);
    throw new KeysUnavailable('The URL of keys does not answer with a JSON Web Key Set.');
  }
}
