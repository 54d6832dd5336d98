import { type Caller, caller } from '../support/client.ts';
import { duringTransaction } from '../support/rival.ts';
import { database, type Role, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

const change = 'mutation ($id: ID!, $role: Role!) { updateMember(userId: $id, role: $role) { role user { id } } }';
const remove = 'mutation ($id: ID!) { removeMember(userId: $id) { id deleted } }';

type Seeded = Awaited<ReturnType<typeof seedOrganization>>;
const rolesIn = async ({ id }: Seeded): Promise<Record<string, Role>> => {
  const { rows } = await database().query('select user_id, role from identity.memberships where organization_id = $1', [id]);
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
};

let organization: Seeded;
let owner: Caller;
beforeEach(async () => {
  organization = await seedOrganization();
  owner = caller(organization.key);
});

test.each<Role>(['owner', 'admin', 'member'])('an owner changes and removes a member who is %s', async (role) => {
  const { id } = await organization.addMember(role);
  expect(await owner.graphql(change, { id, role: 'member' })).toEqual({ updateMember: { role: 'member', user: { id } } });
  expect(await owner.graphql(remove, { id })).toEqual({ removeMember: { id, deleted: true } });
  expect(Object.keys(await rolesIn(organization))).toEqual([organization.owner.id]);
});

test('nobody becomes a member without consent', async () => {
  const { owner: stranger } = await seedOrganization();
  const { code } = await owner.refusal(
    'mutation ($email: String!) { createMember(email: $email, role: member) { user { id name } } }',
    { email: stranger.email },
  );
  expect(code).toBe('GRAPHQL_VALIDATION_FAILED');
});

test('an unknown role is rejected', async () => {
  const { id } = await organization.addMember('member');
  expect(await owner.refusal(change, { id, role: 'root' })).toMatchObject({ code: 'INVALID_INPUT' });
});

test('a member cannot change any membership', async () => {
  const { key, id } = await organization.addMember('member');
  const { refusal } = caller(key);
  const before = await rolesIn(organization);
  expect(await refusal(change, { id, role: 'owner' })).toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(remove, { id: organization.owner.id })).toMatchObject({ code: 'FORBIDDEN' });
  expect(await rolesIn(organization)).toEqual(before);
});

test('an admin manages admins and members, and touches no owner', async () => {
  const [admin, another] = [await organization.addMember('admin'), await organization.addMember('owner')];
  const { refusal, graphql } = caller(admin.key);
  const before = await rolesIn(organization);
  expect(await refusal(change, { id: admin.id, role: 'owner' })).toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(change, { id: another.id, role: 'member' })).toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(remove, { id: another.id })).toMatchObject({ code: 'FORBIDDEN' });
  expect(await rolesIn(organization)).toEqual(before);

  const { id } = await organization.addMember('member');
  expect((await graphql(change, { id, role: 'admin' })).updateMember.role).toBe('admin');
  expect((await graphql(remove, { id })).removeMember.deleted).toBe(true);
});

test('the last owner stays', async () => {
  await organization.addMember('admin');
  const { id } = organization.owner;
  expect(await owner.refusal(remove, { id })).toMatchObject({ code: 'UNPROCESSABLE' });
  expect(await owner.refusal(change, { id, role: 'admin' })).toMatchObject({ code: 'UNPROCESSABLE' });
  expect((await rolesIn(organization))[id]).toBe('owner');
});

test.each(['remove', 'demote'])('if two owners %s each other concurrently, one remains', async (how) => {
  for (let round = 0; round < 5; round++) {
    const seeded = await seedOrganization();
    const second = await seeded.addMember('owner');
    const end = (key: string, id: string) =>
      caller(key).post('/graphql', {
        query: how === 'remove' ? remove : change,
        variables: { id, ...(how === 'demote' && { role: 'member' }) },
      });
    await Promise.all([end(seeded.key, second.id), end(second.key, seeded.owner.id)]);
    const owners = Object.values(await rolesIn(seeded)).filter((role) => role === 'owner');
    expect(owners).toHaveLength(1);
  }
});

test('a user who is not a member is not found, for any id', async () => {
  const other = await seedOrganization();
  for (const id of [other.owner.id, crypto.randomUUID(), 'nobody', '']) {
    expect(await owner.refusal(change, { id, role: 'member' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await owner.refusal(remove, { id })).toMatchObject({ code: 'NOT_FOUND' });
  }
  expect(await rolesIn(other)).toEqual({ [other.owner.id]: 'owner' });
});

test('a member is removed while another request adds them to a workspace', async () => {
  const { id } = await organization.addMember('member');
  const make = 'mutation ($slug: String!) { createWorkspace(input: { name: "W", slug: $slug }) { id } }';
  const workspaces: string[] = [];
  for (const slug of ['first', 'second']) workspaces.push((await owner.graphql(make, { slug })).createWorkspace.id);
  const add = 'mutation ($w: ID!, $id: ID!) { addWorkspaceMember(workspaceId: $w, userId: $id, role: member) { id } }';
  await owner.graphql(add, { w: workspaces[0], id });

  const lock = `select pg_advisory_xact_lock(hashtextextended('site content of ' || $1, 0))`;
  const insert = `insert into site_content.members (id, organization_id, workspace_id, user_id, role)
                  values (gen_random_uuid(), $1, $2, $3, 'member')`;
  const removed = await duringTransaction(
    (rival) => rival.query(lock, [organization.id]),
    () => owner.graphql(remove, { id }),
    (rival) => rival.query(insert, [organization.id, workspaces[1], id]),
  );
  expect(removed).toEqual({ removeMember: { id, deleted: true } });
  const { rows } = await database().query('select from site_content.members where user_id = $1', [id]);
  expect(rows).toEqual([]);
});

test('members are listed by age of membership, with their roles', async () => {
  const admin = await organization.addMember('admin');
  const { organization: shown } = await owner.graphql('{ organization { members { role user { id email } } } }');
  expect(shown.members).toEqual([
    { role: 'owner', user: { id: organization.owner.id, email: organization.owner.email } },
    { role: 'admin', user: { id: admin.id, email: admin.email } },
  ]);
});

/** Hold the organization in a transaction, send the request, and run `change` in the transaction. */
async function duringRequest(change: string, values: unknown[], request: () => Promise<unknown>): Promise<void> {
  const client = await database().connect();
  try {
    await client.query('begin');
    await client.query('select 1 from identity.organizations where id = $1 for update', [organization.id]);
    const answer = request();
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%identity.organizations%'`;
    await until(async () => (await database().query(waiting)).rows.length > 0);
    await client.query(change, [organization.id, ...values]);
    await client.query('commit');
    await answer;
  } finally {
    client.release();
  }
}

const SET_ROLE = 'update identity.memberships set role = $3 where organization_id = $1 and user_id = $2';

test('an admin cannot change a member who becomes an owner concurrently', async () => {
  const [admin, member] = [await organization.addMember('admin'), await organization.addMember('member')];
  await duringRequest(SET_ROLE, [member.id, 'owner'], async () => {
    const refusal = await caller(admin.key).refusal(change, { id: member.id, role: 'member' });
    expect(refusal).toMatchObject({ code: 'FORBIDDEN' });
  });
  expect((await rolesIn(organization))[member.id]).toBe('owner');
});

test.each([
  ['change', change],
  ['remove', remove],
])('a caller who loses the role concurrently does not %s a member', async (_, operation) => {
  const [admin, other] = [await organization.addMember('admin'), await organization.addMember('admin')];
  await duringRequest(SET_ROLE, [admin.id, 'member'], async () => {
    const refusal = await caller(admin.key).refusal(operation, { id: other.id, ...(operation === change && { role: 'member' }) });
    expect(refusal).toMatchObject({ code: 'FORBIDDEN' });
  });
  expect((await rolesIn(organization))[other.id]).toBe('admin');
});

test('if two owners demote each other concurrently, one remains', async () => {
  const second = await organization.addMember('owner');
  const codes = await Promise.all([
    owner.refusal(change, { id: second.id, role: 'member' }),
    caller(second.key).refusal(change, { id: organization.owner.id, role: 'member' }),
  ]);
  expect(codes.map(({ code }) => code ?? 'changed').sort()).toEqual(['FORBIDDEN', 'changed']);
  expect(Object.values(await rolesIn(organization)).sort()).toEqual(['member', 'owner']);
});

test('members leave by themselves, except for the last owner', async () => {
  const leave = 'mutation { leaveOrganization { id deleted } }';
  const { id, key } = await organization.addMember('member');
  expect(await caller(key).graphql(leave)).toEqual({ leaveOrganization: { id: organization.id, deleted: true } });
  expect((await owner.refusal(leave)).code).toBe('UNPROCESSABLE');
  expect(await rolesIn(organization)).toEqual({ [organization.owner.id]: 'owner' });
  const second = await organization.addMember('owner');
  const both = await Promise.all([owner, caller(second.key)].map((each) => each.refusal(leave)));
  expect(both.map(({ code }) => code).sort()).toEqual(['UNPROCESSABLE', undefined]);
  expect(Object.keys(await rolesIn(organization))).not.toContain(id);
});

test('a user changes their own name, which colleagues see', async () => {
  const { id, key } = await organization.addMember('member');
  const rename = 'mutation ($name: String!) { updateMe(name: $name) { id name } }';
  expect(await caller(key).graphql(rename, { name: 'Grace Hopper' })).toEqual({ updateMe: { id, name: 'Grace Hopper' } });
  const { members } = (await owner.graphql('{ organization { members { user { id name } } } }')).organization;
  expect(members).toContainEqual({ user: { id, name: 'Grace Hopper' } });
  expect((await caller(key).refusal(rename, { name: '' })).code).toBe('INVALID_INPUT');
});

test('a member can be changed while the member invites others', async () => {
  const admin = await organization.addMember('admin');
  const { updateMember } = await duringTransaction(
    async (rival) => {
      // The order in which an invitation takes its locks; its commit checks the foreign key of the organization.
      await rival.query('select 1 from identity.memberships where organization_id = $1 and user_id = $2 for share', [
        organization.id,
        admin.id,
      ]);
      await rival.query(
        `insert into identity.invitations (id, organization_id, email, role, token_hash, inviter_id, expires_at)
         values (gen_random_uuid(), $1, 'ada@example.com', 'member', sha256(gen_random_uuid()::text::bytea), $2, now() + interval '1 day')`,
        [organization.id, admin.id],
      );
    },
    () => owner.graphql(change, { id: admin.id, role: 'member' }),
  );
  expect(updateMember.role).toBe('member');
});
