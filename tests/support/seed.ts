import { createHash, randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';

export type Role = 'owner' | 'admin' | 'member';
type Pool = pg.Pool;

const pools = new Map<string, Pool>();
/** The database behind the system under test. */
export function database(url = process.env.TEST_DATABASE_URL!): Pool {
  const known = pools.get(url);
  if (known) return known;
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  // A test may terminate connections; the pool opens new ones.
  pool.on('error', () => {});
  pools.set(url, pool);
  return pool;
}
/** Close all pools. Scripts call it themselves; in a test it runs after the last case. */
export async function closeDatabases(): Promise<void> {
  await Promise.all([...pools.values()].map((pool) => pool.end()));
  pools.clear();
}
if ('afterAll' in globalThis) afterAll(closeDatabases);

export interface KeyOptions {
  expiresAt?: Date;
  disabled?: boolean;
  revoked?: boolean;
  operator?: boolean;
}

/** Insert an organization with an owner, a key and credits. The result has functions that add members and keys. */
export async function seedOrganization({
  credits = 100_000,
  plan = 'growth',
  modules = [] as string[],
  databaseUrl = process.env.TEST_DATABASE_URL!,
} = {}) {
  const db = database(databaseUrl);
  const id = randomUUID();
  const slug = `org-${randomBytes(6).toString('hex')}`;
  await db.query('insert into identity.organizations (id, slug, name, plan, modules, credits) values ($1, $2, $3, $4, $5, $6)', [
    id,
    slug,
    `Organization ${slug}`,
    plan,
    modules,
    credits,
  ]);
  const owner = await seedUser(db);
  const join = (userId: string, role: Role) =>
    db.query('insert into identity.memberships (organization_id, user_id, role) values ($1, $2, $3)', [id, userId, role]);
  await join(owner.id, 'owner');
  const addKey = (userId: string, options?: KeyOptions) => seedKey(db, id, userId, options);
  return {
    id,
    slug,
    owner,
    key: await addKey(owner.id),
    /** Add a user to the organization, with a key of the organization. */
    async addMember(role: Role) {
      const user = await seedUser(db);
      await join(user.id, role);
      return { ...user, key: await addKey(user.id) };
    },
    join,
    addKey,
  };
}

/** Insert a user with an operator key, which has no organization. */
export async function seedOperator() {
  const user = await seedUser(database());
  return { ...user, key: await seedKey(database(), null, user.id, { operator: true }) };
}

/** Insert a user with a key and without an organization. */
export async function seedStranger() {
  const user = await seedUser(database());
  return { ...user, key: await seedKey(database(), null, user.id) };
}

async function seedUser(db: Pool) {
  const id = randomUUID();
  const email = `${id}@example.com`;
  await db.query('insert into identity.users (id, email, name) values ($1, $2, $3)', [id, email, `User ${id.slice(0, 8)}`]);
  return { id, email };
}

async function seedKey(
  db: Pool,
  organizationId: string | null,
  userId: string,
  { expiresAt, disabled, revoked, operator = false }: KeyOptions = {},
): Promise<string> {
  const key = `ck_${randomBytes(32).toString('base64url')}`;
  const now = new Date();
  await db.query(
    `insert into identity.api_keys (id, organization_id, user_id, name, prefix, hash, expires_at, disabled_at, revoked_at, operator)
     values ($1, $2, $3, 'test', $4, $5, $6, $7, $8, $9)`,
    [
      randomUUID(),
      organizationId,
      userId,
      key.slice(0, 10),
      createHash('sha256').update(key).digest(),
      expiresAt ?? null,
      disabled ? now : null,
      revoked ? now : null,
      operator,
    ],
  );
  return key;
}
