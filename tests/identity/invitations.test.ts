import { createHash } from 'node:crypto';
import { type Caller, caller } from '../support/client.ts';
import { database, type Role, seedOrganization, seedStranger } from '../support/seed.ts';
import { signIn } from '../support/session.ts';

const invite =
  'mutation ($email: String!, $role: Role!) { inviteMember(email: $email, role: $role) { token invitation { id email role createdAt expiresAt } } }';
const accept = 'mutation ($token: String!) { acceptInvitation(token: $token) { slug role members { role user { email } } } }';
const revoke = 'mutation ($id: ID!) { revokeInvitation(id: $id) { id deleted } }';
const list = '{ invitations { id email role } }';
const address = () => `${crypto.randomUUID()}@example.com`;

type Seeded = Awaited<ReturnType<typeof seedOrganization>>;
let organization: Seeded;
let owner: Caller;
beforeEach(async () => {
  organization = await seedOrganization();
  owner = caller(organization.key);
});

const inviteBy = async (api: Caller, email: string, role: Role = 'member') =>
  (await api.graphql(invite, { email, role })).inviteMember as { token: string; invitation: { id: string; expiresAt: string } };
const roleOf = async (userId: string): Promise<Role | undefined> => {
  const sql = 'select role from identity.memberships where organization_id = $1 and user_id = $2';
  return (await database().query(sql, [organization.id, userId])).rows[0]?.role;
};
const notFound = { code: 'NOT_FOUND', message: 'Invitation not found' };

test.each<Role>(['owner', 'admin', 'member'])('a user without an organization is invited and becomes %s', async (role) => {
  const { id, key, email } = await seedStranger();
  const { token } = await inviteBy(owner, email.toUpperCase(), role);
  expect(await roleOf(id)).toBeUndefined();

  const { acceptInvitation } = await caller(key).graphql(accept, { token });
  expect(acceptInvitation).toMatchObject({ slug: organization.slug, role });
  expect(acceptInvitation.members).toContainEqual({ role, user: { email } });
  expect((await caller(key).post(`/api/${organization.slug}/products/get`)).status).toBe(200);
  expect(await owner.graphql(list)).toEqual({ invitations: [] });
});

test('the response is the same for a user of another tenant and for an unknown address', async () => {
  const { owner: known } = await seedOrganization();
  for (const email of [known.email, address()]) {
    const { inviteMember } = await owner.graphql(invite, { email, role: 'member' });
    const shown = { id: expect.any(String), email, role: 'member', createdAt: expect.any(String), expiresAt: expect.any(String) };
    expect(inviteMember).toEqual({ token: expect.stringMatching(/^ci_[\w-]{43}$/), invitation: shown });
    const again = await owner.graphql(invite, { email, role: 'admin' });
    expect(again.inviteMember.invitation).toMatchObject({ email, role: 'admin' });
  }
  const { rows } = await database().query('select user_id from identity.memberships where organization_id = $1', [organization.id]);
  expect(rows).toEqual([{ user_id: organization.owner.id }]);
});

test('the token is stored as a hash and lasts seven days', async () => {
  const { token, invitation } = await inviteBy(owner, address());
  const { rows } = await database().query('select * from identity.invitations where id = $1', [invitation.id]);
  expect(rows[0].token_hash).toEqual(createHash('sha256').update(token).digest());
  expect(JSON.stringify([rows, await owner.graphql(list)])).not.toContain(token);
  const week = 7 * 24 * 3_600_000;
  expect(Math.abs(Date.parse(invitation.expiresAt) - Date.now() - week)).toBeLessThan(60_000);
});

test('a token works once, and only for the user of the invited address', async () => {
  const [invited, other] = await Promise.all([seedStranger(), seedStranger()]);
  const { token } = await inviteBy(owner, invited.email);
  expect(await caller(other.key).refusal(accept, { token })).toEqual(notFound);
  expect(await caller(undefined).refusal(accept, { token })).toMatchObject({ code: 'MISSING_KEY' });

  const ask = () => caller(invited.key).post('/graphql', { query: accept, variables: { token } });
  const answers = await Promise.all([ask(), ask(), ask()]);
  const codes = answers.map(({ body }) => body.errors?.[0]?.extensions.code ?? 'accepted');
  expect(codes.sort()).toEqual(['NOT_FOUND', 'NOT_FOUND', 'accepted']);
  expect(await roleOf(other.id)).toBeUndefined();
});

test('an expired, revoked, replaced or invented token is not found', async () => {
  const { key, email, id } = await seedStranger();
  const user = caller(key);
  const refused = async (token: string) => expect(await user.refusal(accept, { token })).toEqual(notFound);

  const replaced = await inviteBy(owner, email);
  const expired = await inviteBy(owner, email, 'admin');
  await refused(replaced.token);
  await database().query(`update identity.invitations set expires_at = now() where id = $1`, [expired.invitation.id]);
  await refused(expired.token);
  expect(await owner.graphql(list)).toEqual({ invitations: [] });

  const revoked = await inviteBy(owner, email);
  expect(await owner.graphql(revoke, { id: revoked.invitation.id })).toEqual({
    revokeInvitation: { id: revoked.invitation.id, deleted: true },
  });
  await refused(revoked.token);
  await refused('ci_invented');
  expect(await roleOf(id)).toBeUndefined();
});

test('a member cannot be invited, and an old invitation does not change a role', async () => {
  const { id, key, email } = await seedStranger();
  const { token } = await inviteBy(owner, email, 'member');
  await organization.join(id, 'admin');
  expect(await owner.refusal(invite, { email, role: 'owner' })).toMatchObject({ code: 'CONFLICT' });
  expect((await caller(key).graphql(accept, { token })).acceptInvitation.role).toBe('admin');
  expect(await roleOf(id)).toBe('admin');
});

test('a member invites nobody, and an admin neither invites owners nor touches their invitations', async () => {
  const [member, admin] = [await organization.addMember('member'), await organization.addMember('admin')];
  const email = address();
  const { invitation } = await inviteBy(owner, email, 'owner');
  for (const text of [list, 'mutation { inviteMember(email: "a@example.com", role: member) { token } }'])
    expect(await caller(member.key).refusal(text)).toMatchObject({ code: 'FORBIDDEN' });

  const { refusal } = caller(admin.key);
  expect(await refusal(invite, { email: address(), role: 'owner' })).toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(invite, { email, role: 'member' })).toMatchObject({ code: 'FORBIDDEN' });
  expect(await refusal(revoke, { id: invitation.id })).toMatchObject({ code: 'FORBIDDEN' });
  expect((await owner.graphql(list)).invitations).toEqual([{ id: invitation.id, email, role: 'owner' }]);
  await inviteBy(caller(admin.key), address(), 'admin');
});

test('an invitation expires when its inviter leaves or can no longer grant it', async () => {
  const [leaver, demoted, lowered] = await Promise.all([
    organization.addMember('admin'),
    organization.addMember('owner'),
    organization.addMember('admin'),
  ]);
  await inviteBy(caller(leaver.key), address());
  await inviteBy(caller(demoted.key), address(), 'owner');
  const { invitation: stays } = await inviteBy(caller(demoted.key), address(), 'admin');
  await inviteBy(caller(lowered.key), address());
  const change = 'mutation ($id: ID!, $role: Role!) { updateMember(userId: $id, role: $role) { role } }';
  await owner.graphql('mutation ($id: ID!) { removeMember(userId: $id) { id } }', { id: leaver.id });
  await owner.graphql(change, { id: demoted.id, role: 'admin' });
  await owner.graphql(change, { id: lowered.id, role: 'member' });
  expect((await owner.graphql(list)).invitations).toMatchObject([{ id: stays.id }]);
});

test('an organization has at most 100 open invitations, and expired ones do not count', async () => {
  await database().query(
    `insert into identity.invitations (id, organization_id, email, role, token_hash, inviter_id, expires_at)
     select gen_random_uuid(), $1::uuid, n || '@example.com', 'member', sha256(($1::text || n)::bytea), $2, now() + interval '1 day'
       from generate_series(1, 98) as n`,
    [organization.id, organization.owner.id],
  );
  const ask = () => owner.post('/graphql', { query: invite, variables: { email: address(), role: 'member' } });
  const answers = await Promise.all([ask(), ask(), ask(), ask()]);
  const codes = answers.map(({ body }) => body.errors?.[0]?.extensions.code ?? 'invited');
  expect(codes.sort()).toEqual(['LIMIT_REACHED', 'LIMIT_REACHED', 'invited', 'invited']);
  await inviteBy(owner, '7@example.com', 'admin');
  await database().query(`update identity.invitations set expires_at = now() where organization_id = $1`, [organization.id]);
  await inviteBy(owner, address());
});

test.each(['', 'nobody', 'a b@example.com', `${'x'.repeat(320)}@example.com`])('%p is not an e-mail address', async (email) => {
  expect(await owner.refusal(invite, { email, role: 'member' })).toMatchObject({ code: 'INVALID_INPUT' });
});

test('the holder of the token reads the invitation before signing in, while it is open', async () => {
  const read = 'query ($token: String!) { invitation(token: $token) { organization email role inviter expiresAt } }';
  const email = address();
  const { token, invitation } = await inviteBy(owner, email, 'admin');
  const anonymous = caller(undefined);
  expect(await anonymous.graphql(read, { token })).toEqual({
    invitation: {
      organization: `Organization ${organization.slug}`,
      email,
      role: 'admin',
      inviter: expect.stringMatching(/^User /),
      expiresAt: invitation.expiresAt,
    },
  });
  expect(await anonymous.graphql(read, { token: 'ci_unknown' })).toEqual({ invitation: null });
  await owner.graphql(revoke, { id: invitation.id });
  expect(await anonymous.graphql(read, { token })).toEqual({ invitation: null });
});

test('the user of a session accepts an invitation, and founds an organization', async () => {
  const stranger = await seedStranger();
  const { token } = await inviteBy(owner, stranger.email);
  const session = await signIn(stranger.id);
  expect((await session.graphql(accept, { token })).acceptInvitation).toMatchObject({ slug: organization.slug, role: 'member' });
  const slug = `o-${crypto.randomUUID()}`;
  const found = 'mutation ($slug: String!) { createOrganization(name: "Founded", slug: $slug) { slug role } }';
  expect(await session.graphql(found, { slug })).toEqual({ createOrganization: { slug, role: 'owner' } });
  expect((await session.graphql('{ organizations { slug } }')).organizations).toHaveLength(2);
});

test('an owner who became an admin does not get the stored response of an invitation of an owner', async () => {
  const second = await organization.addMember('owner');
  const body = { query: invite, variables: { email: address(), role: 'owner' } };
  const send = () => caller(second.key).post('/graphql', body, { 'idempotency-key': crypto.randomUUID() });
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const repeat = () => caller(second.key).post('/graphql', body, headers);
  expect((await repeat()).body.data.inviteMember.token).toMatch(/^ci_/);
  expect((await repeat()).body.data.inviteMember).toMatchObject({ token: null, invitation: { role: 'owner' } });
  await owner.graphql('mutation ($id: ID!) { updateMember(userId: $id, role: admin) { role } }', { id: second.id });
  for (const request of [repeat, send]) expect((await request()).body.errors[0].extensions.code).toBe('FORBIDDEN');
});
