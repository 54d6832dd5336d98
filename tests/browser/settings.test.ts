import { database, seedOrganization } from '../support/seed.ts';
import { signIn } from '../support/session.ts';
import { accessibilityFaults, browserTest, dashboard, PHONE, sidewaysScrollers } from './dashboard.ts';
import { holdAnswer, runs } from './held-answer.ts';
import { photograph } from './photograph.ts';

const visit = dashboard();
const url = process.env.TEST_URL!;

browserTest(
  'an owner changes the organization, members, invitations, keys and sessions, and finds it in the audit log',
  async () => {
    const organization = await seedOrganization();
    const member = await organization.addMember('member');
    const { owner, slug } = organization;
    const page = await visit(`/o/${slug}/settings`, { userId: owner.id });
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme Tools');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Organization: Acme Tools' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Members' }).click();
    const row = page.getByRole('row').filter({ hasText: member.email });
    await row.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Admin' }).click();
    await page.getByText('The role is changed.').waitFor();
    await page.getByRole('button', { name: 'Invite someone' }).click();
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('ada@example.com');
    await page.getByRole('button', { name: 'Create the link' }).click();
    expect(await page.getByLabel('Invitation link').inputValue()).toMatch(`${url}/invitation/`);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('cell', { name: 'ada@example.com', exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('tab', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Import');
    await page.getByRole('checkbox', { name: 'jobs' }).check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const value = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${value}` },
      body: JSON.stringify({ query: '{ organization { slug } }' }),
    });
    expect(await answer.json()).toEqual({ data: { organization: { slug: slug } } });
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Actions for Import' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key is revoked.').waitFor();

    await seedUsage(organization.id);
    await page.getByRole('tab', { name: 'Credits' }).click();
    await page.getByText('Every charge and refund').waitFor();
    await page.getByText(/credits used$/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('cell', { name: 'API key deleted' }).waitFor();
    await page.getByRole('cell', { name: 'Member changed' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Your profile' }).click();
    await page.getByText('This device').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').last().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    const visitor = await visit(`/o/${slug}/settings`, { userId: member.id });
    await visitor.getByRole('heading', { name: 'Settings' }).waitFor();
    await database().query('update identity.memberships set role = $2 where user_id = $1', [member.id, 'member']);
    await page.getByRole('tab', { name: 'Members' }).click();
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out on all devices' }).click();
    await page.getByText('One session is ended.').waitFor();
    // The page may be on its way to the sign-in already, which aborts the reload.
    await visitor.reload().catch(() => {});
    await visitor.getByRole('heading', { name: 'Sign in' }).waitFor();
  },
);

browserTest('a list follows each of two changes, also if the answer after the first one arrives last', async () => {
  const { owner, slug } = await seedOrganization();
  for (let count = 0; count < 2; count += 1) await signIn(owner.id);
  const page = await visit(`/o/${slug}/settings`, { userId: owner.id });
  await page.getByRole('tab', { name: 'Your profile' }).click();
  const ends = page.getByRole('button', { name: /^Sign out: / });
  await ends.nth(1).waitFor();
  const first = await holdAnswer(page, 'query Sessions');
  await ends.nth(0).click();
  await first.held;
  const second = page.waitForResponse((response) => runs('query Sessions')(response.request()));
  await ends.nth(1).click();
  await (await second).finished();
  await first.release();
  expect(await ends.count()).toBe(0);
});

browserTest('the settings are German for a German reader, also on a phone', async () => {
  const { id, owner, slug } = await seedOrganization();
  await seedUsage(id);
  const page = await visit(`/o/${slug}/settings/profile`, { userId: owner.id, locale: 'de-DE', viewport: PHONE });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada');
  await page.getByRole('button', { name: 'Speichern' }).click();
  for (const [part, text] of [
    ['profile', 'Dieses Gerät'],
    ['credits', 'Antwort eines Agenten'],
    ['audit', 'Organisation'],
  ] as const) {
    await page.goto(`/o/${slug}/settings/${part}`);
    await page.getByText(text).first().waitFor();
    await photograph(page, `${part}-de`);
    await page.setViewportSize(PHONE);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
    if (part === 'audit') expect(await sidewaysScrollers(page)).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
  }
});

/** Charges of today and of last week. */
const seedUsage = (organizationId: string) =>
  database().query(
    `insert into identity.credit_entries (id, organization_id, amount, reason, reference, created_at)
     select gen_random_uuid(), $1, -n, 'chat reply', 'reply:test ' || n, now() - n * interval '1 day' from generate_series(0, 8) n`,
    [organizationId],
  );

browserTest('the settings show the storage by kind, and warn when it is full', async () => {
  const { id, slug, owner } = await seedOrganization();
  await database().query(
    `insert into identity.stored_bytes (organization_id, list, bytes)
     values ($1, 'catalog.products', 3100000000), ($1, 'agent.chunks', 900000000), ($1, 'site_content.pages', 42000000)`,
    [id],
  );
  await database().query('update identity.organizations set storage_quota = 5000000000 where id = $1', [id]);
  const page = await visit(`/o/${slug}/settings`, { userId: owner.id });
  await page.getByRole('progressbar', { name: 'Data: 4 GB of 5 GB' }).waitFor();
  await page.getByText('3.1 GB').waitFor();
  await page.getByText('0 bytes of 10.7 GB').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await photograph(page, 'storage');
  await database().query('update identity.organizations set storage_quota = 4000000000 where id = $1', [id]);
  const german = await visit(`/o/${slug}/settings`, { userId: owner.id, locale: 'de-DE' });
  await german.getByText('Der Speicher ist voll.', { exact: false }).waitFor();
  await german.getByRole('progressbar', { name: 'Daten: 4 GB von 4 GB' }).waitFor();
  expect(await accessibilityFaults(german)).toEqual([]);
  await photograph(german, 'storage-de');
});
