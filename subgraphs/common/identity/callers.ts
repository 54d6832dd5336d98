import type { Pool } from 'pg';
import { type ErrorCode, fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import type { Notifications } from '../notifications.ts';
import { hashKey, readKey } from './keys.ts';

/** An organization as its member sees it. */
export interface Access {
  id: string;
  slug: string;
  name: string;
  role: Word<'Role'>;
  plan: Word<'Plan'>;
  modules: Word<'Module'>[];
}

/** Who calls: the user of a working key, with every organization the user is a member of. */
export interface Caller {
  userId: string;
  name: string;
  email: string;
  keyId: string;
  /** The organization the key was created in; null when its user has left it. */
  boundOrganizationId: string | null;
  organizations: Access[];
}

interface Found {
  caller: Caller;
  expiresAt: Date | null;
  disabled: boolean;
}

const FRESH = 30_000;
const REMEMBERED = 10_000;

const FIND = `
  select k.id as "keyId", k.organization_id as "keyOrganization", k.expires_at as "expiresAt", k.disabled_at is not null as disabled,
         u.id as "userId", u.name, u.email,
         coalesce((select json_agg(json_build_object('id', o.id, 'slug', o.slug, 'name', o.name, 'role', m.role, 'plan', o.plan,
                                                     'modules', o.modules) order by o.name, o.id)
                     from identity.memberships m join identity.organizations o on o.id = m.organization_id
                    where m.user_id = u.id), '[]') as organizations
    from identity.api_keys k join identity.users u on u.id = k.user_id
   where k.hash = $1 and k.revoked_at is null`;

/** Turns credentials into callers. A look-up is kept for half a minute, and forgotten at once when any process changes a key, a member or a plan. */
export class Callers {
  readonly #found = new Map<string, { at: number; found: Promise<Found | null> }>();
  readonly #unlisten: () => void;

  constructor(
    private readonly pool: Pool,
    notifications: Notifications,
  ) {
    this.#unlisten = notifications.on('identity', () => this.forget());
  }

  /** The caller of these headers. Throws `MISSING_KEY`, `INVALID_KEY` or `UNKNOWN_KEY`. */
  async identify(headers: Readonly<Record<string, string | undefined>>): Promise<Caller> {
    const { key, wellFormed } = readKey(headers);
    if (!key) throw fail('MISSING_KEY', 'Missing API Key');
    const refuse = (code: ErrorCode) => fail(code, 'Invalid API Key');
    if (!wellFormed) throw refuse('INVALID_KEY');
    const found = await this.#find(key);
    if (!found) throw refuse('UNKNOWN_KEY');
    if (found.disabled || (found.expiresAt && found.expiresAt.getTime() <= Date.now())) throw refuse('INVALID_KEY');
    return found.caller;
  }

  /** Whoever changes a key, a member or a plan calls this after the commit: the next request may be here before the notification. */
  forget(): void {
    this.#found.clear();
  }

  close(): void {
    this.#unlisten();
  }

  #find(key: string): Promise<Found | null> {
    const hash = hashKey(key);
    const id = hash.toString('base64');
    const known = this.#found.get(id);
    if (known && Date.now() - known.at < FRESH) return known.found;
    // A caller that tries many keys must not grow the memory without bound.
    if (this.#found.size >= REMEMBERED) this.#found.clear();
    const found = this.#read(hash);
    this.#found.set(id, { at: Date.now(), found });
    found.catch(() => this.#found.delete(id));
    return found;
  }

  async #read(hash: Buffer): Promise<Found | null> {
    const { rows } = await this.pool.query({ name: 'find-caller', text: FIND, values: [hash] });
    const [row] = rows;
    if (!row) return null;
    const { keyId, keyOrganization, expiresAt, disabled, ...user } = row;
    const bound = user.organizations.some((each: Access) => each.id === keyOrganization) ? keyOrganization : null;
    // The mapper has this pool hand out timestamps as text.
    return { caller: { keyId, boundOrganizationId: bound, ...user }, expiresAt: expiresAt && new Date(expiresAt), disabled };
  }
}
