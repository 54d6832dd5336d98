import { SignJWT } from 'jose';
import { until } from '../support/until.ts';
import { violationsOf } from './axe.ts';
import { browserTest, type Website } from './widget-page.ts';

/** Tests of the tickets of a visitor on a website that `open` returns. */
export function ticketTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  let secret: string;
  const tag = (more = '') => `data-agent="${agent.agent.publicSlug}" ${more}`;
  const sign = (sub: string) =>
    new SignJWT({ email: `${sub}@example.com` })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(sub)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret));
  const create = async (subject: string, requesterEmail: string): Promise<{ id: string; ticketNumber: string }> =>
    (await agent.admin.send('POST', '/api/v1/tickets', { agentId: agent.agent.id, subject, requesterEmail })).body;
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

  browserTest('a signed-in visitor reads a ticket that came by mail, and answers it, by keyboard alone', async () => {
    const { id, ticketNumber } = await create('Lamp <b>flickers</b>', 'ada@example.com');
    await create('Of somebody else', 'bea@example.com');
    await agent.admin.graphql('mutation ($id: ID!) { replyToTicket(id: $id, text: "Does it <i>hum</i>?") { id } }', { id });
    await agent.admin.graphql('mutation ($id: ID!) { addTicketNote(id: $id, text: "Secret note") { id } }', { id });
    const visit = await site.open({ attributes: tag(`data-identity="${await sign('ada')}"`) });
    const { keyboard } = visit.page;
    await visit.launcher.click();
    await visit.panel.getByRole('button', { name: 'More options' }).focus();
    await keyboard.press('Enter');
    await visit.panel.getByRole('button', { name: 'Your tickets' }).focus();
    await keyboard.press('Enter');
    await visit.panel.getByRole('button', { name: 'Lamp <b>flickers</b>' }).waitFor();
    expect(await visit.panel.getByText('Of somebody else').count()).toBe(0);
    await visit.panel.getByText(`${ticketNumber} · Waits for your reply`).waitFor();
    expect(await violationsOf(visit.page)).toEqual([]);
    // The heading has the focus.
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await visit.panel.getByText('Does it <i>hum</i>?').waitFor();
    expect(await visit.panel.getByText('Secret note').count()).toBe(0);
    expect(await violationsOf(visit.page)).toEqual([]);
    await keyboard.press('Tab');
    await keyboard.type('No, it is silent.');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await visit.panel.getByText('No, it is silent.', { exact: true }).last().waitFor();
    await visit.panel.getByText(`${ticketNumber} · With the team`).waitFor();
    const { ticket } = await agent.admin.graphql(
      'query ($id: ID!) { ticket(id: $id) { status messages { nodes { kind text } } } }',
      { id },
    );
    expect(ticket.status).toBe('on_you');
    expect(ticket.messages.nodes.at(-1)).toEqual({ kind: 'requester', text: 'No, it is silent.' });
    await visit.panel.getByRole('button', { name: 'Back to the tickets' }).click();
    await visit.panel.getByRole('button', { name: 'Back to the chat' }).click();
    await visit.input.waitFor();
    expect(visit.faults).toEqual([]);
  });

  browserTest('who signs out, or signs in as somebody else, no longer sees the tickets of the one before', async () => {
    const visit = await site.open({ attributes: tag('data-lang="de"') });
    await visit.page.evaluate((token) => (window as unknown as Api).chatWidget.identify(token), await sign('ada'));
    await visit.page.getByRole('button', { name: 'Chat öffnen' }).click();
    await visit.panel.getByRole('button', { name: 'Weitere Optionen' }).click();
    await visit.panel.getByRole('button', { name: 'Ihre Tickets' }).click();
    await visit.panel.getByText('Lamp <b>flickers</b>').waitFor();
    await visit.page.evaluate((token) => (window as unknown as Api).chatWidget.identify(token), await sign('bea'));
    await visit.panel.getByText('Of somebody else').waitFor();
    expect(await visit.panel.getByText('Lamp <b>flickers</b>').count()).toBe(0);
    await visit.page.evaluate(() => (window as unknown as Api).chatWidget.signOut());
    await visit.panel.getByText('Es gibt keine Tickets.').waitFor();
    expect(await visit.panel.getByText('Of somebody else').count()).toBe(0);
  });

  browserTest('tickets that cannot be loaded are loaded on demand, and a reply that failed stays', async () => {
    const visit = await site.open({ attributes: tag(`data-identity="${await sign('ada')}"`) });
    await visit.launcher.click();
    await visit.page.route(/\/tickets$/, (route) => route.abort(), { times: 1 });
    await visit.panel.getByRole('button', { name: 'More options' }).click();
    await visit.panel.getByRole('button', { name: 'Your tickets' }).click();
    await visit.panel.getByText('The tickets could not be loaded.').waitFor();
    await visit.panel.getByRole('button', { name: 'Try again' }).click();
    await visit.panel.getByRole('button', { name: 'Lamp' }).click();
    await visit.page.route(/\/replies$/, (route) => route.abort(), { times: 1 });
    const field = visit.panel.getByRole('textbox', { name: 'Reply to the team' });
    await field.fill('Once more');
    await visit.panel.getByRole('button', { name: 'Send reply' }).click();
    await visit.panel.getByRole('alert').waitFor();
    expect(await field.inputValue()).toBe('Once more');
    await visit.panel.getByRole('button', { name: 'Send reply' }).click();
    await until(async () => (await field.inputValue()) === '');
    await visit.panel.getByText('Once more', { exact: true }).waitFor();
  });
}
