import type { Route } from 'playwright-core';
import { SEND_OPERATOR, TAKE_OVER } from '../agent/handoff/handing-off.ts';
import { until } from '../support/until.ts';
import { breakerOf, failSubscription } from './sockets.ts';
import { browserTest, type Website } from './widget-page.ts';

/** Tests of the widget on a website that `open` returns, in which something is gone, blocked or late. */
export function recoveryTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  const tag = () => `data-agent="${agent.agent.publicSlug}"`;
  const newest = async (): Promise<{ id: string }> =>
    (await agent.admin.graphql('{ conversations(limit: 1) { nodes { id } } }')).conversations.nodes[0];

  browserTest('a website opens', async () => {
    site = await open();
    agent = await site.seed({}, { modules: ['helpdesk'] });
  });

  browserTest('a visitor whose conversation was deleted still reaches a person, in a new one', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('good morning');
    await visit.messages.getByText('Echo: good morning').waitFor();
    const { id } = await newest();
    await agent.admin.graphql('mutation ($id: ID!) { deleteConversation(id: $id) { id } }', { id });
    await visit.panel.getByRole('button', { name: 'More options' }).click();
    await visit.panel.getByRole('button', { name: 'Talk to a person' }).click();
    await visit.messages.getByText(/The team has been asked/).waitFor();
    expect((await newest()).id).not.toBe(id);
    await agent.admin.graphql(TAKE_OVER, { id: (await newest()).id });
    await visit.messages.getByText(/joined the conversation/).waitFor();
    expect(await visit.messages.getByText('Echo: good morning').count()).toBe(1);
  });

  browserTest('a conversation continues after its agent was switched off for a while', async () => {
    const { admin, agent: other } = await site.seed({ name: 'Ida' });
    const setPublic = (publicAccess: boolean) =>
      admin.graphql('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', {
        id: other.id,
        input: { publicAccess },
      });
    const visit = await site.open({ attributes: `data-agent="${other.publicSlug}"` });
    const storedId = () =>
      visit.page.evaluate(() => Object.values(sessionStorage).map((text) => JSON.parse(text as string).conversationId as string));
    await visit.launcher.click();
    await visit.ask('before');
    await visit.messages.getByText('Echo: before').waitFor();
    const before = await storedId();
    await setPublic(false);
    await visit.ask('meanwhile');
    const retry = visit.messages.getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    await setPublic(true);
    await retry.click();
    await visit.messages.getByText('Echo: meanwhile').waitFor();
    expect([before, await storedId()]).toEqual([[expect.any(String)], before]);
    await visit.page.reload();
    await visit.messages.getByText('Echo: before').waitFor();
  });

  browserTest('a message that is sent while the conversation loads waits for it', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('the first');
    await visit.messages.getByText('Echo: the first').waitFor();
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    let sent = 0;
    await visit.page.route(/\/chat\/[^/]+$/, async (route) => {
      await isReleased;
      await route.continue();
    });
    visit.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/chat')) sent += 1;
    });
    await visit.page.reload();
    await visit.input.waitFor();
    await visit.ask('the second');
    await visit.messages.getByText('the second', { exact: true }).waitFor();
    expect(sent).toBe(0);
    release();
    await visit.messages.getByText('Echo: the second').waitFor();
    expect([await visit.messages.getByText('Echo: the first').count(), sent]).toEqual([1, 1]);
  });

  browserTest('what an operator writes while the stored messages are read stays visible', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('before the break');
    await visit.messages.getByText('Echo: before the break').waitFor();
    const { id } = await newest();
    // The stream of the reply breaks off, so the widget reads the stored messages.
    const interrupt = async (route: Route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('data: [DONE]', '') });
    };
    const delay = async (route: Route) => {
      const response = await route.fetch();
      const { takeOverConversation } = await agent.admin.graphql(TAKE_OVER, { id });
      await agent.admin.graphql(SEND_OPERATOR, { id: takeOverConversation.id, text: 'Written meanwhile' });
      await visit.messages.getByText('Written meanwhile').waitFor();
      await route.fulfill({ response });
    };
    await visit.page.route(/\/chat$/, interrupt, { times: 1 });
    await visit.page.route(/\/chat\/[^/]+$/, delay, { times: 1 });
    const isRead = visit.page.waitForEvent('requestfinished', (request) => /\/chat\/[^/]+$/.test(request.url()));
    await visit.ask('the break');
    await isRead;
    await visit.ask('the answer');
    await visit.messages.filter({ hasText: 'the answer' }).waitFor();
    const shown = (await visit.messages.allInnerTexts()).join('\n');
    expect(shown).toMatch(/Echo: the break.*Written meanwhile.*the answer/s);
    await visit.panel.getByRole('button', { name: 'More options' }).click();
    await visit.panel.getByRole('button', { name: 'End the conversation with the team' }).waitFor();
  });

  browserTest.each(['contact', 'custom'])('a %s form that is sent again after a lost answer is stored once', async (kind) => {
    const { admin, agent: other } = await site.seed();
    const input = { name: 'returns', title: 'Return an item', fields: [{ name: 'name', label: 'Name' }] };
    const create = 'mutation ($a: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $a, input: $input) { id } }';
    await admin.graphql(create, { a: other.id, input });
    const visit = await site.open({ attributes: `data-agent="${other.publicSlug}"` });
    const title = kind === 'contact' ? 'Leave your contact details' : input.title;
    const stored = async () => {
      const { leads, customFormSubmissions } = await admin.graphql('{ leads { name } customFormSubmissions { values } }');
      return [
        ...leads.map(({ name }: { name: string }) => name),
        ...customFormSubmissions.map((each: { values: { name: string } }) => each.values.name),
      ];
    };
    const send = visit.panel.getByRole('button', { name: 'Send' });
    const openForm = async () => {
      await visit.panel.getByRole('button', { name: 'More options' }).click();
      await visit.panel.getByRole('button', { name: title }).click();
    };
    const loseAnswer = () =>
      visit.page.route(
        /\/(leads|submissions)$/,
        async (route) => {
          if (route.request().method() === 'OPTIONS') return route.fallback();
          await route.fetch();
          await route.abort();
        },
        { times: 1 },
      );
    await visit.launcher.click();
    await openForm();
    await visit.panel.getByLabel('Name').fill('Ada');
    await loseAnswer();
    await send.click();
    await visit.panel.getByRole('alert').waitFor();
    await send.click();
    await visit.messages.getByText(`“${title}” was sent. Thank you.`).waitFor();
    expect(await stored()).toEqual(['Ada']);

    // The same words are a new submission after a success, and so is an edit after a lost answer.
    await openForm();
    await visit.panel.getByLabel('Name').fill('Ada');
    await loseAnswer();
    await send.click();
    await visit.panel.getByRole('alert').waitFor();
    await visit.panel.getByLabel('Name').fill('Grace');
    await send.click();
    await visit.messages.getByText(`“${title}” was sent. Thank you.`).nth(1).waitFor();
    expect((await stored()).sort()).toEqual(['Ada', 'Ada', 'Grace']);
  });

  browserTest('a page that blocks WebSockets chats, and does not try forever', async () => {
    const { url } = site.gateway;
    const policy = `default-src 'none'; script-src ${url}; connect-src ${url}/api/`;
    const visit = await site.open({ attributes: tag(), policy });
    let tokens = 0;
    visit.page.on('request', (request) => {
      if (request.url().includes('/handoff-token')) tokens += 1;
    });
    await visit.page.clock.install();
    await visit.launcher.click();
    await visit.ask('hello');
    await visit.messages.getByText('Echo: hello').waitFor();
    for (let minutes = 0; minutes < 12; minutes += 1) {
      await visit.page.clock.runFor(60_000);
      await visit.page.waitForTimeout(100);
    }
    expect(tokens).toBe(6);
  });

  browserTest('earlier messages that could not be loaded appear with the next message', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('the first');
    await visit.messages.getByText('Echo: the first').waitFor();
    await visit.page.route(/\/chat\/[^/]+$/, (route) => route.abort());
    await visit.page.reload();
    await visit.panel.getByText('The chat could not be loaded.').waitFor();
    await visit.page.unrouteAll();
    await visit.ask('the second');
    await visit.messages.getByText('Echo: the second').waitFor();
    expect((await visit.messages.allInnerTexts()).join(' ')).toMatch(/Echo: the first.*the second.*Echo: the second/s);
  });

  browserTest('a comment on a reply stays when it cannot be sent', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('rate me');
    await visit.messages.getByText('Echo: rate me').waitFor();
    await visit.messages.getByRole('button', { name: 'Bad reply' }).click();
    const comment = visit.messages.getByRole('textbox', { name: 'What was wrong?' });
    await comment.fill('It only echoes.');
    await visit.page.route('**/rating', (route) => route.abort());
    await comment.press('Enter');
    await visit.panel.getByRole('alert').waitFor();
    expect(await comment.inputValue()).toBe('It only echoes.');
    await visit.page.unrouteAll();
    await comment.press('Enter');
    await visit.messages.getByText('Thank you for the feedback.').waitFor();
  });

  browserTest('a visitor is told that messages of the team do not arrive, and follows them again on demand', async () => {
    const visit = await site.open({ attributes: tag() });
    const sockets = await breakerOf(visit.page);
    await visit.page.reload();
    await visit.launcher.click();
    await visit.panel.getByRole('button', { name: 'More options' }).click();
    await visit.panel.getByRole('button', { name: 'Talk to a person' }).click();
    await visit.messages.getByText(/The team has been asked/).waitFor();
    const headers = { 'access-control-allow-origin': '*' };
    await visit.page.route('**/handoff-token*', (route) =>
      route.fulfill({ status: 403, headers, json: { message: 'Not allowed' } }),
    );
    await sockets.break(4500);
    sockets.mend();
    const notice = visit.panel.getByText('Messages from the team do not arrive at the moment.');
    await notice.waitFor();
    const { takeOverConversation } = await agent.admin.graphql(TAKE_OVER, { id: (await newest()).id });
    await agent.admin.graphql(SEND_OPERATOR, { id: takeOverConversation.id, text: 'Are you there?' });
    await visit.page.unroute('**/handoff-token*');
    await visit.panel.getByRole('button', { name: 'Try again' }).click();
    await visit.messages.getByText('Are you there?').waitFor();
    expect(await notice.count()).toBe(0);
  });

  browserTest('a visitor is told when the service rejects the messages of the team, and follows them again on demand', async () => {
    const visit = await site.open({ attributes: tag() });
    const sockets = await failSubscription(visit.page, 'visitorHandoffEvents', 'GRAPHQL_VALIDATION_FAILED');
    await visit.page.reload();
    await visit.launcher.click();
    await visit.panel.getByRole('button', { name: 'More options' }).click();
    await visit.panel.getByRole('button', { name: 'Talk to a person' }).click();
    await visit.messages.getByText(/The team has been asked/).waitFor();
    await until(() => sockets.isOpen());
    sockets.end();
    const notice = visit.panel.getByText('Messages from the team do not arrive at the moment.');
    await notice.waitFor();
    expect(sockets.isOpen()).toBe(false);
    await visit.panel.getByRole('button', { name: 'Try again' }).click();
    await until(() => sockets.isOpen());
    expect(await notice.count()).toBe(0);
  });

  browserTest('a reply that could not be read to its end appears whole with the next message', async () => {
    site.provider.on('a torn story', (response) => response.text('Once upon a time ').text('it ended.').finish());
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.page.route(
      /\/chat$/,
      async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).split('\n\n').filter((each) => !/it ended|DONE|finish|text-end/.test(each));
        await route.fulfill({ response, body: `${body.join('\n\n')}\n\n` });
      },
      { times: 1 },
    );
    await visit.page.route(/\/stream$/, (route) => route.abort());
    await visit.page.clock.install();
    await visit.ask('a torn story');
    const notice = visit.panel.getByText('The reply was interrupted.');
    await until(async () => {
      await visit.page.clock.runFor(10_000);
      return (await notice.count()) > 0;
    });
    expect(await visit.messages.getByText('it ended.').count()).toBe(0);
    await visit.page.unrouteAll();
    await visit.ask('and then?');
    await visit.messages.getByText('Once upon a time it ended.').waitFor();
    await visit.messages.getByText('Echo: and then?').waitFor();
  });
}
