import { until } from '../support/until.ts';
import { violationsOf } from './axe.ts';
import { browserTest, type Website } from './widget-page.ts';

/** Tests of the widget on a website that `open` returns. */
export function chatTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  const tag = () => `data-agent="${agent.agent.publicSlug}"`;

  browserTest('a website opens', async () => {
    site = await open();
    agent = await site.seed(
      { welcomeMessage: 'Hello, I am **Zoe**.', suggestedMessages: ['Opening hours?'], theme: { primary: '#0f766e' } },
      { modules: ['helpdesk'] },
    );
    const sources = `/api/${agent.slug}/agents/${agent.agent.id}/sources`;
    await agent.admin.post(sources, { type: 'text', name: 'Opening times', text: 'The shop is open from nine to five.' });
    await until(async () => (await agent.admin.get(sources)).body.data.sources[0]?.status === 'ready');
  });

  browserTest(
    'a visitor asks a suggested question, reads the streamed answer, rates it, and finds it again after a reload',
    async () => {
      site.provider.on('Opening hours', (response) => response.text('We open at **nine').text('**.').finish());
      const visit = await site.open({ attributes: tag() });
      await visit.launcher.click();
      await visit.messages.getByText('Hello, I am Zoe.').waitFor();
      await visit.panel.getByRole('button', { name: 'Opening hours?' }).click();
      await visit.messages.getByText('We open at nine.').waitFor();
      await visit.panel.getByRole('button', { name: 'Good reply' }).click();
      const pressed = visit.panel.getByRole('button', { name: 'Good reply', pressed: true });
      await pressed.waitFor();
      expect(await visit.page.evaluate(() => Object.keys(localStorage))).toEqual([]);

      await visit.page.reload();
      await visit.messages.getByText('We open at nine.').waitFor();
      await pressed.waitFor();
      expect(await visit.messages.allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringMatching(/^You\s+Opening hours\?$/)]),
      );
      expect(visit.faults).toEqual([]);
      // The page asks nobody but the website and the service.
      expect([...visit.requested].sort()).toEqual([site.origin, site.gateway.url].sort());
    },
  );

  browserTest('a reply that runs while the page is reloaded continues', async () => {
    let release = () => {};
    site.provider.on('long story', async (response) => {
      response.text('Once upon a time ');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      response.text('it ended.').finish();
    });
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('Tell me a long story');
    await visit.messages.getByText('Once upon a time').waitFor();
    await visit.page.reload();
    await visit.messages.getByText('Once upon a time').waitFor();
    release();
    await visit.messages.getByText('Once upon a time it ended.').waitFor();
  });

  browserTest('an answer names its sources, a tool shows its activity, and a stopped reply keeps its text', async () => {
    site.provider.on('Which hours', (response) => response.text('From nine to five [1].').finish());
    let release = () => {};
    site.provider.on('a ticket please', async (response, _, times) => {
      if (times > 1) return void response.text('Done with that.').finish();
      response.call(0, 'c1', 'create_support_ticket', '{"subject": "x"');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      response.call(0, undefined, undefined, ', "description": "y"}').finish('tool_calls');
    });
    site.provider.on('endless', (response) => void response.text('Part one'));
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('Which hours is the shop open?');
    const answer = visit.messages.filter({ hasText: 'From nine to five.' });
    await answer.getByText('Opening times').waitFor();
    await visit.ask('a ticket please');
    await visit.messages.getByText('Raising a ticket…').waitFor();
    release();
    await visit.messages.getByText('Done with that.').waitFor();
    expect(await visit.messages.getByText('Raising a ticket…').count()).toBe(0);
    await visit.ask('endless');
    await visit.messages.getByText('Part one').waitFor();
    await visit.panel.getByRole('button', { name: 'Stop the reply' }).click();
    await visit.panel.getByRole('button', { name: 'Send message' }).waitFor();
    expect(await visit.messages.getByText('Part one').count()).toBe(1);
    expect(await visit.hasFocus()).toBe(true);
  });

  browserTest('the keys of an input method neither send nor close', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.input.fill('変換');
    await visit.input.evaluate((input) => {
      const composed = { bubbles: true, cancelable: true, composed: true };
      // Safari ends the composition before this event.
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, ...composed }));
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, ...composed }));
    });
    await visit.panel.waitFor();
    expect(await visit.input.inputValue()).toBe('変換');
    await visit.input.press('Enter');
    await until(async () => (await visit.input.inputValue()) === '');
  });

  browserTest('hostile Markdown stays text, and only links to the web and to e-mail addresses are links', async () => {
    const hostile = [
      '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
      '[run](javascript:window.hacked=1) [data](data:text/html,x) [page](/relative) [ok](https://example.com/a) [mail](mailto:a@example.com)',
      '![pixel](https://tracker.example.com/p.png)',
      '<a href="javascript:window.hacked=1" onclick="window.hacked=1">click</a>',
      '- شكرا',
    ].join('\n\n');
    site.provider.on('hostile', (response) => response.text(hostile).finish());
    site.provider.on('deep', (response) => response.text(`${'>'.repeat(9_000)} end`).finish());
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('hostile <b>question</b>');
    await visit.messages.getByText('onerror="window.hacked=1"').waitFor();
    await visit.messages.getByText('hostile <b>question</b>').waitFor();
    const links = await visit.messages
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel'), link.getAttribute('target')]));
    const safe = (href: string) => [href, 'noopener noreferrer nofollow', '_blank'];
    expect(links).toEqual(['https://example.com/a', 'mailto:a@example.com', 'https://tracker.example.com/p.png'].map(safe));
    expect(await visit.panel.locator('img, script').count()).toBe(0);
    const item = visit.messages.getByText('شكرا');
    expect(await item.evaluate((each) => getComputedStyle(each).direction)).toBe('rtl');
    await visit.ask('deep');
    await visit.messages.getByText(/>>> end/).waitFor();
    expect(await visit.page.evaluate(() => 'hacked' in window)).toBe(false);
    expect([...visit.requested]).not.toContain('https://tracker.example.com');
  });

  browserTest('a visitor fills in the contact form and a custom form, by keyboard alone', async () => {
    await agent.admin.graphql(
      'mutation ($a: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $a, input: $input) { id } }',
      {
        a: agent.agent.id,
        input: {
          name: 'returns',
          title: 'Return an item',
          fields: [
            { name: 'order', label: 'Order number', required: true },
            { name: 'count', label: 'Items', type: 'number' },
            { name: 'why', label: 'Reason', type: 'select', options: ['Too small', 'Too large'] },
            { name: 'box', label: 'I have the box', type: 'checkbox' },
          ],
        },
      },
    );
    const visit = await site.open({ attributes: tag() });
    const { keyboard } = visit.page;
    const press = async (...keys: string[]) => {
      for (const key of keys) await keyboard.press(key);
    };
    await visit.launcher.focus();
    await press('Enter');
    await visit.input.waitFor();
    await until(async () => visit.input.evaluate((each) => each === (each.getRootNode() as ShadowRoot).activeElement));
    await press('Shift+Tab', 'Enter');
    await visit.panel.getByRole('button', { name: 'Return an item' }).waitFor();
    // The request for a person, the tickets and the contact form come before the custom form.
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    await visit.panel.getByRole('heading', { name: 'Return an item' }).waitFor();
    await press('Tab');
    await keyboard.type('A-1001');
    await press('Tab');
    await keyboard.type('2');
    await press('Tab', 'ArrowDown', 'Tab', 'Space', 'Tab', 'Tab', 'Enter');
    await visit.messages.getByText('“Return an item” was sent. Thank you.').waitFor();

    await visit.panel.getByRole('button', { name: 'More options' }).click();
    await visit.panel.getByRole('button', { name: 'Leave your contact details' }).click();
    await visit.panel.getByRole('button', { name: 'Send' }).click();
    await visit.panel.getByRole('alert').getByText('Enter a name or an e-mail address.').waitFor();
    await visit.panel.getByLabel('E-mail').fill('ada@example.com');
    await visit.panel.getByRole('button', { name: 'Send' }).click();
    await visit.messages.getByText('“Leave your contact details” was sent. Thank you.').waitFor();
    const { customFormSubmissions, leads } = await agent.admin.graphql('{ customFormSubmissions { values } leads { email } }');
    expect(customFormSubmissions).toEqual([{ values: { order: 'A-1001', count: 2, why: 'Too small', box: true } }]);
    expect(leads).toEqual([{ email: 'ada@example.com' }]);

    // Escape closes the panel, and the button has the focus again.
    await press('Escape');
    await visit.panel.waitFor({ state: 'hidden' });
    expect(await visit.launcher.evaluate((each) => each === (each.getRootNode() as ShadowRoot).activeElement)).toBe(true);
  });

  browserTest.each([
    ['light', { viewport: { width: 1280, height: 800 } }],
    ['dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' as const }],
    ['360 pixels wide', { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }],
  ])('axe finds nothing in the widget, %s', async (title, options) => {
    const visit = await site.open({ attributes: tag(), ...options });
    await visit.launcher.waitFor();
    // The closed widget is the same everywhere.
    if (title === 'light') expect(await violationsOf(visit.page)).toEqual([]);
    await visit.launcher.click();
    await visit.ask('Opening hours?');
    await visit.panel.getByRole('button', { name: 'Bad reply' }).click();
    await visit.panel.getByRole('button', { name: 'More options' }).click();
    expect(await violationsOf(visit.page)).toEqual([]);
    await visit.panel.getByRole('button', { name: 'Return an item' }).click();
    expect(await violationsOf(visit.page)).toEqual([]);
    const box = (await visit.panel.boundingBox())!;
    if (options.viewport.width < 480) expect([box.x, box.y, box.width, box.height]).toEqual([0, 0, 360, 640]);
    else expect(box.x + box.width).toBeLessThanOrEqual(options.viewport.width);
  });

  browserTest('a message that is sent while the conversation loads reads it again when that fails', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.launcher.click();
    await visit.ask('the first');
    await visit.messages.getByText('Echo: the first').waitFor();
    const released = Promise.withResolvers<void>();
    await visit.page.route(/\/chat\/[^/]+$/, (route) => released.promise.then(() => route.abort()), { times: 1 });
    await visit.page.reload();
    await visit.input.waitFor();
    await visit.ask('the second');
    await visit.messages.getByText('the second', { exact: true }).waitFor();
    released.resolve();
    await visit.messages.getByText('Echo: the second').waitFor();
    const shown = (await visit.messages.allInnerTexts()).join('\n');
    expect(shown).toMatch(/Echo: the first.*the second.*Echo: the second/s);
  });
}
