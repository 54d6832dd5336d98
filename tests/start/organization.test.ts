import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { command } from './command.ts';

const organization = (...args: string[]) => command('organization', args);

test('the command changes credits, plan and modules, and prints the account as JSON', async () => {
  const { id, slug, key } = await seedOrganization({ credits: 1, plan: 'free' });
  const changed = await organization('--org', slug, '--credits', '1000', '--plan', 'growth', '--modules', 'helpdesk');
  expect(changed).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(changed.stdout)).toEqual({ id, slug, plan: 'growth', modules: ['helpdesk'], credits: 1001 });
  expect(await caller(key).graphql('{ organization { plan modules credits } }')).toEqual({
    organization: { plan: 'growth', modules: ['helpdesk'], credits: 1001 },
  });
  const { rows } = await database().query('select operator, key_id from identity.account_changes where organization_id = $1', [id]);
  expect(rows).toEqual([{ operator: expect.stringMatching(/^shell: ./), key_id: null }]);
});

test('without options it prints the account, and --modules without names removes all modules', async () => {
  const { id, slug } = await seedOrganization({ credits: 7, modules: ['helpdesk'] });
  const account = { id, slug, plan: 'growth', modules: ['helpdesk'], credits: 7 };
  expect(JSON.parse((await organization('--org', id)).stdout)).toEqual(account);
  expect(JSON.parse((await organization('--org', slug, '--modules')).stdout)).toEqual({ ...account, modules: [] });
});

test('credits with a reference are added only once, and can be subtracted again', async () => {
  const { slug } = await seedOrganization({ credits: 0 });
  const add = async () =>
    JSON.parse((await organization('--org', slug, '--credits', '5', '--reference', 'invoice-1')).stdout).credits;
  expect([await add(), await add()]).toEqual([5, 5]);
  expect(JSON.parse((await organization('--org', slug, '--credits', '-2')).stdout).credits).toBe(3);
});

test.each([
  [[], /--org/],
  [['--org', 'nowhere-at-all'], /not found/],
  [['--org', 'acme', '--credits', 'many'], /number/],
  [['--org', 'acme', '--plan', 'royal'], /free, growth, enterprise/],
])('%j is rejected with a message, and nothing on standard output', async (args, sentence) => {
  const refused = await organization(...args);
  expect(refused.status).not.toBe(0);
  expect(refused.stdout).toBe('');
  expect(refused.stderr).toMatch(sentence);
});
