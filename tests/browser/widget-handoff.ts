import { signIn } from '../support/session.ts';
import { PATIENCE, until } from '../support/until.ts';
import { breakerOf } from './sockets.ts';
import { browserTest, type Website } from './widget-page.ts';

/** Tests with a visitor on a website that `open` returns, and an operator in the dashboard. Each has a browser profile. */
export function handoffTests(open: () => Promise<Website>): void {
  browserTest('a visitor and an operator talk, and lose and repeat nothing when the connection of one breaks', async () => {
    const site = await open();
    const agent = await site.seed({}, { modules: ['helpdesk'] });
    const { url } = site.gateway;
    const context = await site.browser.newContext({ baseURL: url, locale: 'en-US', reducedMotion: 'reduce' });
    context.setDefaultTimeout(PATIENCE);
    await context.addCookies([{ name: 'session', value: (await signIn(agent.owner.id, { url })).token, url }]);
    const operator = await context.newPage();
    const faults: string[] = [];
    operator.on('pageerror', ({ message }) => faults.push(message));
    const operatorSockets = await breakerOf(operator);
    await operator.goto(`/o/${agent.slug}/inbox`);
    await operator.getByText('No conversations yet').waitFor();

    const visitor = await site.open({ attributes: `data-agent="${agent.agent.publicSlug}"` });
    const visitorSockets = await breakerOf(visitor.page);
    await visitor.page.reload();
    await visitor.launcher.click();
    await visitor.panel.getByRole('button', { name: 'More options' }).click();
    await visitor.panel.getByRole('button', { name: 'Talk to a person' }).click();

    // Nobody reloads the inbox.
    await operator.getByLabel('1 visitor waits').waitFor();
    await operator.getByRole('link', { name: /Waits for a person/ }).click();
    await operator.getByRole('button', { name: 'Take over' }).click();
    await visitor.messages.getByText(/joined the conversation/).waitFor();
    const input = operator.getByLabel('Write to the visitor');
    const log = operator.getByRole('log');
    const write = async (text: string) => {
      await input.fill(text);
      await operator.keyboard.press('Enter');
    };
    await input.pressSequentially('Message 1');
    await visitor.messages.getByText(/is typing…$/).waitFor();
    await operator.keyboard.press('Enter');
    await visitor.messages.getByText('Message 1').waitFor();
    await log.getByText(/ · Seen$/).waitFor();
    await visitor.input.pressSequentially('Message 2');
    await operator.getByText('The visitor is typing').waitFor();
    await visitor.page.keyboard.press('Enter');
    await log.getByText('Message 2').waitFor();
    await visitor.messages.filter({ hasText: 'Message 2' }).getByText('Seen').waitFor();

    await visitorSockets.break();
    await write('Message 3');
    await log.getByText('Message 3').waitFor();
    visitorSockets.mend();
    await visitor.messages.getByText('Message 3').waitFor();
    await visitor.ask('Message 4');
    await log.getByText('Message 4').waitFor();

    await operatorSockets.break();
    await operator.getByText('The connection is lost.').waitFor();
    await visitor.ask('Message 5');
    // The widget shows a message before it is stored, and the operator's next one must come after it.
    const LAST = '{ conversations(limit: 1) { nodes { lastMessageText } } }';
    await until(async () => (await agent.admin.graphql(LAST)).conversations.nodes[0].lastMessageText === 'Message 5');
    await write('Message 6');
    await visitor.messages.getByText('Message 6').waitFor();
    operatorSockets.mend();
    await operator.getByText('The connection is lost.').waitFor({ state: 'detached' });
    await log.getByText('Message 5').waitFor();

    await operator.getByRole('button', { name: 'Hand back' }).click();
    await visitor.messages.getByText('The assistant has the conversation again.').waitFor();
    await visitor.ask('Message 7');
    await visitor.messages.getByText('Echo: Message 7').waitFor();
    await log.getByText('Echo: Message 7').waitFor();
    await operator.getByRole('button', { name: 'Take over' }).click();
    await visitor.messages
      .getByText(/joined the conversation/)
      .nth(1)
      .waitFor();
    await operator.getByRole('button', { name: 'Close', exact: true }).click();
    await visitor.messages.getByText('The conversation with the team was closed.').waitFor();
    const all = ['1', '2', '3', '4', '5', '6', '7', '7'].map((number) => `Message ${number}`);
    expect(await messagesOf(visitor.messages.allInnerTexts())).toEqual(all);
    await until(async () => (await messagesOf(log.allInnerTexts())).length >= all.length);
    expect(await messagesOf(log.allInnerTexts())).toEqual(all);
    expect(faults).toEqual([]);
    await Promise.all([context.close(), visitor.context.close()]);
  });
}

const messagesOf = async (texts: Promise<string[]>) => (await texts).join('\n').match(/Message \d/g) ?? [];
