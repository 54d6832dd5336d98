import { randomBytes } from 'node:crypto';
import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { command } from './command.ts';

const login = (...args: string[]) => command('login', args);
const { origin } = new URL(process.env.TEST_URL!);
const open = (link: string) => caller(undefined).post('/auth/link', { token: new URL(link).pathname.split('/').pop() }, { origin });

test('the command prints only a link, which signs its user in once', async () => {
  const email = `New-${randomBytes(4).toString('hex')}@Example.com`;
  const made = await login('--user', email);
  expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^http:\/\/\S+\/auth\/link\/cl_[\w-]{43}\n$/) });
  expect((await open(made.stdout.trim())).body.user).toMatchObject({ email: email.toLowerCase() });
  expect((await open(made.stdout.trim())).status).toBe(410);
});

test('the link of a member names the organization to open', async () => {
  const { slug, owner } = await seedOrganization();
  const made = await login('--user', owner.email, '--organization', slug);
  expect((await open(made.stdout.trim())).body).toEqual({ user: expect.objectContaining({ id: owner.id }), organization: slug });
});

test('the command rejects users who are not members, and incomplete options', async () => {
  const { slug } = await seedOrganization();
  for (const args of [
    ['--user', `${randomBytes(4).toString('hex')}@example.com`, '--organization', slug],
    [],
    ['--user', 'nobody'],
  ])
    expect(await login(...args)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/not a member|--user/) });
});
