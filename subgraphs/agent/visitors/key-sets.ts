import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';
import { OutboundRefused } from '../../../platform/outbound/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/** The keys of a site could not be read. The text is for its developer. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

type LocalKeySet = ReturnType<typeof createLocalJWKSet>;

interface KnownSet {
  /** The keys of the last successful read. */
  keys?: LocalKeySet;
  readAt: number;
  /** The last read, its result if it failed, and the read that is running. */
  triedAt: number;
  fault?: KeysUnavailable;
  reading?: Promise<void>;
}

/** Milliseconds that a set is used, between two reads, and that it is used while reads fail. */
const [MAX_AGE, COOLDOWN, MAX_STALE] = [10 * 60_000, 30_000, 24 * 60 * 60_000];
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

/** The keys of a URL. Read again after `maxAge`, but a flood of tokens never becomes a flood of reads, also while they fail. */
async function read(scope: Scope, url: string, maxAge: number): Promise<LocalKeySet> {
  const set = use(`${scope.organizationId} ${url}`);
  const age = () => performance.now() - set.readAt;
  if (set.keys && age() < maxAge) return set.keys;
  if (performance.now() - set.triedAt >= COOLDOWN) {
    set.triedAt = performance.now();
    set.reading = refresh(scope, url, set);
  }
  await set.reading;
  if (set.keys && age() < MAX_STALE) return set.keys;
  throw set.fault!;
}

/** Never throws. A failed read keeps the keys of the one before. */
async function refresh(scope: Scope, url: string, set: KnownSet): Promise<void> {
  try {
    Object.assign(set, { keys: await download(scope, url), readAt: performance.now() });
  } catch (error) {
    set.fault = error as KeysUnavailable;
  }
}

function use(name: string): KnownSet {
  const set = known.get(name) ?? { readAt: Number.NEGATIVE_INFINITY, triedAt: Number.NEGATIVE_INFINITY };
  known.delete(name);
  known.set(name, set);
  const [oldest] = known.keys();
  if (known.size > MAX_SETS) known.delete(oldest!);
  return set;
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
