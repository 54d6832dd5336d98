import { SignJWT } from 'jose';
import { startToolReceiver } from '../agent/tools/receiver.ts';
import { until } from '../support/until.ts';
import { violationsOf } from './axe.ts';
import { browserTest, type Website } from './widget-page.ts';

/** Tests of signed-in visitors and of approvals, on a website that `open` returns. */
export function approvalTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  let receiver: Awaited<ReturnType<typeof startToolReceiver>>;
  let key: Uint8Array;
  afterAll(() => receiver?.close());
  const tag = () => `data-agent="${agent.agent.publicSlug}"`;
  const sign = (sub: string) =>
    new SignJWT({ email: `${sub}@example.com` })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(sub)
      .setExpirationTime('1h')
      .sign(key);

  browserTest('a website has an agent with a tool', async () => {
    site = await open();
    agent = await site.seed({ requireApprovals: true });
    receiver = await startToolReceiver();
    await agent.admin.graphql('mutation ($id: ID!, $input: NewTool!) { createTool(agentId: $id, input: $input) { id } }', {
      id: agent.agent.id,
      input: {
        name: 'cancel_order',
        description: 'Cancels it.',
        endpointUrl: `${receiver.url}/orders/{{params.number}}/cancel`,
        confirmation: 'Cancel the order {{params.number}}?',
      },
    });
    const { made } = await agent.admin.graphql(
      'mutation ($id: ID!) { made: rotateSigningSecret(agentId: $id, purpose: identity) { secret } }',
      {
        id: agent.agent.id,
      },
    );
    key = new TextEncoder().encode(made.secret);
    site.provider.on('cancel it', (response, { messages }) => {
      const last = messages.at(-1)!;
      if (last.role === 'tool') response.text(last.content!.includes('not approved') ? 'I left it.' : 'It is canceled.').finish();
      else response.call(0, 'c1', 'cancel_order', '{"number": "B-2001"}').finish('tool_calls');
    });
  });

  browserTest('a visitor reads what will happen, and approves it by keyboard', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('Please cancel it');
    await visit.messages.getByText('Cancel the order “B-2001”?').waitFor();
    expect(receiver.received).toEqual([]);
    expect(await violationsOf(visit.page)).toEqual([]);
    await visit.panel.getByRole('button', { name: 'Yes, do it' }).focus();
    await visit.page.keyboard.press('Enter');
    await visit.messages.getByText('It is canceled.').waitFor();
    await visit.messages.getByText('Cancel the order “B-2001”? Done.').waitFor();
    expect(receiver.received.map(({ url }) => url)).toEqual(['/orders/B-2001/cancel']);
    expect(await visit.panel.getByRole('button', { name: 'Yes, do it' }).count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  browserTest('a question is there again after a reload, and a refused call is not sent', async () => {
    receiver.received.length = 0;
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('Please cancel it');
    await visit.messages.getByText('Cancel the order “B-2001”?').waitFor();
    await visit.page.reload();
    await visit.panel.getByRole('button', { name: 'No', exact: true }).click();
    await visit.messages.getByText('I left it.').waitFor();
    expect(receiver.received).toEqual([]);
  });

  browserTest('a page names its visitor, and forgets the conversation when the visitor signs out', async () => {
    const token = await sign('c-7');
    const visit = await site.open({ attributes: `${tag()} data-identity="${token}"` });
    await visit.launcher.click();
    await visit.ask('Please cancel it');
    await visit.panel.getByRole('button', { name: 'Yes, do it' }).click();
    await visit.messages.getByText('It is canceled.').waitFor();
    expect(receiver.last().headers['x-svc-visitor']).toBe('c-7');
    await visit.page.evaluate(() => (window as unknown as { chatWidget: { signOut(): void } }).chatWidget.signOut());
    await until(async () => (await visit.messages.getByText('It is canceled.').count()) === 0);
    await visit.ask('Please cancel it');
    await visit.panel.getByRole('button', { name: 'Yes, do it' }).click();
    await until(() => receiver.last().headers['x-svc-visitor'] === 'none');
  });

  browserTest('a page names its visitor in the middle of a conversation, which goes on', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('anything');
    await visit.messages.getByText('Echo: anything').waitFor();
    await visit.page.evaluate(
      (token) => (window as unknown as { chatWidget: { identify(token: string): void } }).chatWidget.identify(token),
      await sign('c-8'),
    );
    await visit.ask('Please cancel it');
    await visit.panel.getByRole('button', { name: 'Yes, do it' }).click();
    await visit.messages.getByText('It is canceled.').waitFor();
    await visit.messages.getByText('Echo: anything').waitFor();
    const { 'x-svc-visitor': subject, 'x-svc-conversation': id } = receiver.last().headers;
    expect(subject).toBe('c-8');
    const { conversation } = await agent.admin.graphql(
      'query ($id: ID!) { conversation(id: $id) { verified messages { nodes { text } } } }',
      { id },
    );
    expect(conversation).toMatchObject({ verified: true, messages: { nodes: expect.arrayContaining([{ text: 'anything' }]) } });
  });

  browserTest('a wrong token is an error for the developer, and the chat continues as that of a stranger', async () => {
    const visit = await site.open({ attributes: `${tag()} data-identity="abc"` });
    await visit.launcher.click();
    await visit.ask('anything');
    await visit.messages.getByText('Echo: anything').waitFor();
    await until(() => visit.faults.some((each) => each.includes('The identity token is no valid JSON Web Token.')));
  });
}
