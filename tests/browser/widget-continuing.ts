import { SignJWT } from 'jose';
import { until } from '../support/until.ts';
import { browserTest, locatorsOf, type Website } from './widget-page.ts';

/** Tests of a conversation in several tabs and visits of a website that `open` returns. */
export function continuingTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  let secret: string;
  const sign = (sub: string) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(sub)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret));
  /** A page that names its visitor, if there is a token. */
  const visitAs = async (sub?: string) => {
    const identity = sub ? `data-identity="${await sign(sub)}"` : '';
    const visit = await site.open({ attributes: `data-agent="${agent.agent.publicSlug}" ${identity}` });
    await visit.launcher.click();
    await visit.input.waitFor();
    return visit;
  };
  const count = async () =>
    (await agent.admin.graphql('{ conversations { pagination { total } } }')).conversations.pagination.total;
  type Api = { chatWidget: { identify(token: string): void; signOut(): void } };

  browserTest('a website opens', async () => {
    site = await open();
    agent = await site.seed({}, { modules: ['helpdesk'] });
    const { made } = await agent.admin.graphql(
      'mutation ($id: ID!) { made: rotateSigningSecret(agentId: $id, purpose: identity) { secret } }',
      { id: agent.agent.id },
    );
    secret = made.secret;
  });

  browserTest(
    'the conversation of a signed-in visitor goes on in another tab and at the next visit, until a new one begins',
    async () => {
      const first = await visitAs('ada');
      await first.ask('Ada one');
      await first.messages.getByText('Echo: Ada one').waitFor();
      // Another browser, as on another device.
      const second = await visitAs('ada');
      await second.messages.getByText('Echo: Ada one').waitFor();
      await second.ask('Ada two');
      await second.messages.getByText('Echo: Ada two').waitFor();
      expect(await count()).toBe(1);
      // The first tab was behind.
      await first.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await first.messages.getByText('Echo: Ada two').waitFor();
      expect(await first.messages.getByText('Ada one', { exact: true }).count()).toBe(1);

      await second.panel.getByRole('button', { name: 'More options' }).click();
      await second.panel.getByRole('button', { name: 'New conversation' }).click();
      await second.messages.getByText('Echo: Ada one').waitFor({ state: 'detached' });
      await second.page.reload();
      await second.input.waitFor();
      await second.page.waitForTimeout(500);
      expect(await second.messages.getByText('Ada one').count()).toBe(0);
      await second.ask('Ada three');
      await second.messages.getByText('Echo: Ada three').waitFor();
      expect(await count()).toBe(2);
      const third = await visitAs('ada');
      await third.messages.getByText('Echo: Ada three').waitFor();
      expect(await third.messages.getByText('Ada one').count()).toBe(0);
      expect([...first.faults, ...second.faults, ...third.faults]).toEqual([]);
    },
  );

  browserTest('a message that is written before the conversation is found becomes part of it', async () => {
    const first = await visitAs('bea');
    await first.ask('Bea one');
    await first.messages.getByText('Echo: Bea one').waitFor();
    const before = await count();
    const late = await site.open({ attributes: `data-agent="${agent.agent.publicSlug}" data-identity="${await sign('bea')}"` });
    const released = Promise.withResolvers<void>();
    await late.page.route(/\/conversation$/, (route) => released.promise.then(() => route.continue()));
    await late.launcher.click();
    await late.ask('Bea two');
    await late.messages.getByText('Bea two', { exact: true }).waitFor();
    released.resolve();
    await late.messages.getByText('Echo: Bea two').waitFor();
    const shown = (await late.messages.allInnerTexts()).join('\n');
    expect(shown).toMatch(/Echo: Bea one.*Bea two.*Echo: Bea two/s);
    expect(await count()).toBe(before);
  });

  browserTest('nobody else sees it: another person, a stranger, a forged token, and who signs out', async () => {
    const first = await visitAs('cyd');
    await first.ask('Secret of Cyd');
    await first.messages.getByText('Echo: Secret of Cyd').waitFor();
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('cyd')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode('whsec_other'));
    for (const token of [await sign('dan'), undefined, forged]) {
      const visit = await visitAs();
      if (token) await visit.page.evaluate((given) => (window as unknown as Api).chatWidget.identify(given), token);
      await visit.ask('Anything?');
      await visit.messages.getByText('Echo: Anything?').waitFor();
      expect(await visit.messages.getByText('Secret of Cyd').count()).toBe(0);
    }
    await first.page.evaluate(() => (window as unknown as Api).chatWidget.signOut());
    await first.messages.getByText('Secret of Cyd').first().waitFor({ state: 'detached' });
    // The same tab finds it again when the person signs in again.
    await first.page.evaluate((given) => (window as unknown as Api).chatWidget.identify(given), await sign('cyd'));
    await first.messages.getByText('Echo: Secret of Cyd').waitFor();
    await first.page.evaluate((given) => (window as unknown as Api).chatWidget.identify(given), await sign('dan'));
    await first.messages.getByText('Echo: Anything?').waitFor();
    expect(await first.messages.getByText('Secret of Cyd').count()).toBe(0);
  });

  browserTest('the conversation of a stranger goes on in the next page of its tab, and a new tab begins anew', async () => {
    const visit = await visitAs();
    await visit.ask('Stranger one');
    await visit.messages.getByText('Echo: Stranger one').waitFor();
    await visit.page.reload();
    await visit.messages.getByText('Echo: Stranger one').waitFor();
    const tab = await visit.context.newPage();
    await tab.goto(visit.page.url());
    const other = locatorsOf(tab);
    await other.launcher.click();
    await other.input.waitFor();
    await until(async () => (await other.messages.getByText('Stranger one').count()) === 0);
    await other.ask('Stranger two');
    await other.messages.getByText('Echo: Stranger two').waitFor();
    expect(await other.messages.getByText('Stranger one').count()).toBe(0);
  });
}
