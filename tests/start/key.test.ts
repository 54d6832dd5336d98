import { randomBytes, randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { command } from './command.ts';

const key = (...args: string[]) => command('key', args);

const slug = () => `shell-${randomBytes(5).toString('hex')}`;
const email = 'Ada@Example.com';

test('the command creates missing records and prints only the key', async () => {
  const org = slug();
  const options = ['--role', 'admin', '--credits', '12.5', '--plan', 'growth', '--modules', 'helpdesk'];
  const made = await key('--org', org, '--user', email, ...options);
  expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ck_[\w-]{43}\n$/) });
  const data = await caller(made.stdout.trim(), { organization: org }).graphql(
    '{ organization { slug role plan modules credits } me { email } }',
  );
  expect(data).toEqual({
    organization: { slug: org, role: 'admin', plan: 'growth', modules: ['helpdesk'], credits: 12.5 },
    me: { email: 'ada@example.com' },
  });
});

test('a second key belongs to the same organization and user, and its credits are added', async () => {
  const org = slug();
  await key('--org', org, '--user', email, '--credits', '1');
  const again = await key('--org', org, '--user', email, '--credits', '2');
  const data = await caller(again.stdout.trim()).graphql('{ organizations { slug } me { id } }');
  expect(data.organizations).toContainEqual({ slug: org });
  const { rows } = await database().query('select credits::float from identity.organizations where slug = $1', [org]);
  expect(rows).toEqual([{ credits: 3 }]);
});

test('a key changes the role of a member only if asked, and never leaves an organization without an owner', async () => {
  const org = slug();
  const roleOf = async (made: { stdout: string }) =>
    (await caller(made.stdout.trim()).graphql('{ organization { role } }')).organization.role;
  await key('--org', org, '--user', email);
  const other = ['--org', org, '--user', `${org}@example.com`];
  expect(await roleOf(await key(...other, '--role', 'member'))).toBe('member');
  expect(await roleOf(await key(...other))).toBe('member');
  expect(await roleOf(await key(...other, '--role', 'admin'))).toBe('admin');
  expect(await key('--org', org, '--user', email, '--role', 'member')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('An organization needs at least one owner.'),
  });
  expect(await roleOf(await key('--org', org, '--user', email))).toBe('owner');
});

test('a key can be created disabled or with an expiry date', async () => {
  const org = slug();
  const disabled = (await key('--org', org, '--user', email, '--disabled')).stdout.trim();
  const ended = (await key('--org', org, '--user', email, '--expires', '2020-01-01')).stdout.trim();
  const lasting = (await key('--org', org, '--user', email, '--expires', '2099-01-01')).stdout.trim();
  const statuses = await Promise.all([disabled, ended, lasting].map((each) => caller(each).get('/api/organizations/get')));
  expect(statuses.map(({ status }) => status)).toEqual([401, 401, 200]);
});

test('a key can call only the MCP tools of its groups', async () => {
  const org = slug();
  const some = (await key('--org', org, '--user', email, '--tools', 'jobs', 'catalog-read')).stdout.trim();
  const data = await caller(some).graphql('{ apiKeys { prefix toolGroups } }');
  expect(data.apiKeys).toEqual([{ prefix: some.slice(0, 10), toolGroups: ['jobs', 'catalog-read'] }]);
  expect(await key('--org', org, '--user', email, '--tools', 'all')).toMatchObject({ status: 1, stdout: '' });
});

test('a key can be bound to a workspace of its organization', async () => {
  const { key: owner, slug: org } = await seedOrganization();
  const made = await caller(owner).graphql('mutation { createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const { id } = made.createWorkspace;
  const bound = caller((await key('--org', org, '--user', email, '--workspace', id)).stdout.trim());
  expect((await bound.graphql('{ siteIdentity { workspace { id } } }')).siteIdentity.workspace).toEqual({ id });
  expect(await bound.refusal('{ organization { id } }')).toMatchObject({ code: 'FORBIDDEN' });
  const unknown = await key('--org', org, '--user', email, '--workspace', randomUUID());
  expect(unknown).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('Workspace not found') });
});

test('a key can have no organization, and is revoked by its first characters', async () => {
  const unbound = (await key('--unbound', '--user', `${slug()}@example.com`)).stdout.trim();
  const { get } = caller(unbound);
  expect(await get('/api/organizations/get')).toMatchObject({ status: 200, body: { data: { organizations: [] } } });
  expect((await key('--revoke', unbound.slice(0, 10))).status).toBe(0);
  await until(async () => (await get('/api/organizations/get')).status === 403);
  expect(await key('--revoke', unbound)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/No key/) });
});

test("an operator's key changes accounts and reaches no organization", async () => {
  const made = await key('--operator', '--user', `${slug()}@example.com`);
  const organization = await seedOrganization({ credits: 0 });
  const { graphql, post } = caller(made.stdout.trim());
  const { updateOrganizationAccount } = await graphql(
    'mutation ($slug: String!) { updateOrganizationAccount(organization: $slug, credits: 5) { credits } }',
    { slug: organization.slug },
  );
  expect(updateOrganizationAccount.credits).toBe(5);
  expect((await post(`/api/${organization.slug}/products/get`)).status).toBe(403);
});

test.each([
  [['--org', 'acme'], /--user/],
  [['--user', email, '--operator', '--org', 'acme'], /cannot be used with/],
  [['--user', email, '--unbound', '--credits', '5'], /cannot be used with/],
  [['--revoke', 'acme'], /begins with ck_/],
  [['--user', email], /--org/],
  [['--org', 'agents', '--user', email], /must not be one of/],
  [['--org', 'Not A Slug', '--user', email], /slug/],
  [['--org', 'acme', '--user', 'nobody'], /e-mail/],
  [['--org', 'acme', '--user', email, '--role', 'king'], /owner, admin, member/],
  [['--org', 'acme', '--user', email, '--credits', '-1'], /above 0/],
  [['--org', 'acme', '--user', email, '--expires', 'soon'], /2030-01-01/],
])('%j is rejected with a message, and nothing on standard output', async (args, sentence) => {
  const refused = await key(...args);
  expect(refused.status).not.toBe(0);
  expect(refused.stdout).toBe('');
  expect(refused.stderr).toMatch(sentence);
});
