import { SizedCache } from 'compiled-gateway/cache';
import type { GraphQLError } from 'graphql';
import type { Pool } from 'pg';
import { type ErrorCode, fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import type { Notifications } from '../notifications.ts';
import { afterCommit } from '../transactions.ts';
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
  /** Whether the key changes accounts of organizations; such a key reaches no organization. */
  operator: boolean;
}

interface Found {
  caller: Caller;
  expiresAt: Date | null;
  disabled: boolean;
}

/** Organizations of a user that a key reaches: those joined first. */
const MOST_ORGANIZATIONS = 1_000;

const FRESH = 30_000;
/** Bytes of the look-ups that are kept. */
const BUDGET = 16 * 1024 * 1024;
/** Estimated bytes of a look-up, and of each organization of its user. */
const LOOK_UP = 1_024;
const ACCESS = 512;

interface LookUp {
  at: number;
  found: Promise<Found | null>;
}

const FIND = `
  select k.hash, k.id as "keyId", k.organization_id as "keyOrganization", k.expires_at as "expiresAt", k.disabled_at is not null as disabled,
         k.operator, u.id as "userId", u.name, u.email,
         coalesce((select json_agg(json_build_object('id', o.id, 'slug', o.slug, 'name', o.name, 'role', m.role, 'plan', o.plan,
                                                     'modules', o.modules) order by o.name, o.id)
                     from (select * from identity.memberships where user_id = u.id order by joined_at limit ${MOST_ORGANIZATIONS}) m
                     join identity.organizations o on o.id = m.organization_id
                    where not k.operator), '[]') as organizations
    from identity.api_keys k join identity.users u on u.id = k.user_id
   where k.hash = any($1) and k.revoked_at is null`;

/** Turns credentials into callers. A look-up is kept for half a minute, and forgotten at once when any process changes a key, a member or a plan. */
export class Callers {
  readonly #found = new SizedCache<string, LookUp>(BUDGET);
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
    if (!wellFormed) throw refuse('INVALID_KEY');
    const caller = callerOf(await this.#find(key));
    if (caller instanceof Error) throw caller;
    return caller;
  }

  /** The callers of keys that were let in before, or why they would be no more: as the database says now, by one statement. */
  async identifyAll(all: Readonly<Record<string, string | undefined>>[]): Promise<(Caller | GraphQLError)[]> {
    const hashes = all.map((headers) => hashKey(readKey(headers).key ?? ''));
    const names = hashes.map(nameOf);
    const found = await this.#read([...new Map(hashes.map((hash, place) => [names[place], hash])).values()]);
    return names.map((name) => callerOf(found.get(name)));
  }

  /**
   * Forgets all look-ups, after the commit of the current transaction. Called by every change of a key, a member or a plan, because the
   * next request may arrive before the notification.
   */
  forget(): void {
    afterCommit(() => this.#found.clear());
  }

  close(): void {
    this.#unlisten();
  }

  #find(key: string): Promise<Found | null> {
    const hash = hashKey(key);
    const id = nameOf(hash);
    const known = this.#found.get(id);
    if (known && Date.now() - known.at < FRESH) return known.found;
    const found = this.#read([hash]).then((all) => all.get(id) ?? null);
    const lookUp = { at: Date.now(), found };
    this.#found.set(id, lookUp, LOOK_UP);
    found.then(
      (caller) => this.#resize(id, lookUp, caller),
      () => this.#found.delete(id),
    );
    return found;
  }

  /** The size of a look-up is known once it is answered; meanwhile it may have been forgotten. */
  #resize(id: string, lookUp: LookUp, answer: Found | null): void {
    const organizations = answer?.caller.organizations.length ?? 0;
    if (organizations > 0 && this.#found.get(id) === lookUp) this.#found.set(id, lookUp, LOOK_UP + ACCESS * organizations);
  }

  async #read(hashes: Buffer[]): Promise<Map<string, Found>> {
    const { rows } = await this.pool.query({ name: 'find-callers', text: FIND, values: [hashes] });
    return new Map(rows.map((row) => [nameOf(row.hash), foundIn(row)]));
  }
}

const nameOf = (hash: Buffer) => hash.toString('base64');
const refuse = (code: ErrorCode) => fail(code, 'Invalid API Key');

function callerOf(found: Found | null | undefined): Caller | GraphQLError {
  if (!found) return refuse('UNKNOWN_KEY');
  if (found.disabled || (found.expiresAt && found.expiresAt.getTime() <= Date.now())) return refuse('INVALID_KEY');
  return found.caller;
}

// biome-ignore lint/suspicious/noExplicitAny: a row as the statement above names it
function foundIn({ hash: _, keyId, keyOrganization, expiresAt, disabled, ...user }: any): Found {
  const bound = user.organizations.some((each: Access) => each.id === keyOrganization) ? keyOrganization : null;
  // The mapper has this pool hand out timestamps as text.
  return { caller: { keyId, boundOrganizationId: bound, ...user }, expiresAt: expiresAt && new Date(expiresAt), disabled };
}
