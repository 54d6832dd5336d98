import { until } from '../support/until.ts';
import { browserTest, type Website } from './widget-page.ts';

/** Tests of the context of pages on a website that `open` returns. */
export function contextTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  const tag = (more = '') => `data-agent="${agent.agent.publicSlug}" ${more}`;
  /** The page as the agent last read it. */
  const described = () =>
    /as data:\n<untrusted>\n(.*)\n<\/untrusted>/.exec(site.provider.requests('whereabouts').at(-1)!.messages[0]!.content!)?.[1];
  type Api = { chatWidget: { setContext(context?: unknown): void } };
  const stored = async () =>
    (await agent.admin.graphql('{ conversations { nodes { pageContext } } }')).conversations.nodes[0].pageContext;

  browserTest('a website opens', async () => {
    site = await open();
    agent = await site.seed();
    site.provider.on('whereabouts', (response, { messages }) => response.text(`Answer to ${messages.at(-1)!.content}`).finish());
  });

  browserTest(
    'the page describes itself by an attribute and by the page API, and a page without a context removes it',
    async () => {
      const visit = await site.open({ attributes: tag(`data-context='{"sku":"L-9","url":"https://shop.example.com/9"}'`) });
      await visit.launcher.click();
      await visit.ask('first whereabouts');
      await visit.messages.getByText('Answer to first whereabouts').waitFor();
      expect(described()).toBe('{"sku":"L-9","url":"https://shop.example.com/9"}');

      await visit.page.evaluate(() =>
        (window as unknown as Api).chatWidget.setContext({ sku: 'L-10', items: 2, none: undefined, empty: null }),
      );
      await visit.ask('second whereabouts');
      await visit.messages.getByText('Answer to second whereabouts').waitFor();
      expect(described()).toBe('{"sku":"L-10","items":2}');
      expect(await stored()).toEqual({ sku: 'L-10', items: 2 });

      await visit.page.evaluate(() => (window as unknown as Api).chatWidget.setContext());
      await visit.ask('no whereabouts');
      await visit.messages.getByText('Answer to no whereabouts').waitFor();
      expect(described()).toBeUndefined();
      expect(await stored()).toBeNull();
      expect(visit.faults).toEqual([]);
    },
  );

  browserTest('the next page of the site, which says nothing, does not keep the context of the one before', async () => {
    const visit = await site.open({ attributes: tag() });
    await visit.page.evaluate(() => (window as unknown as Api).chatWidget.setContext({ sku: 'L-11' }));
    await visit.launcher.click();
    await visit.ask('with whereabouts');
    await visit.messages.getByText('Answer to with whereabouts').waitFor();
    expect(described()).toBe('{"sku":"L-11"}');
    await visit.page.reload();
    await visit.ask('without whereabouts');
    await visit.messages.getByText('Answer to without whereabouts').waitFor();
    expect(described()).toBeUndefined();
  });

  browserTest('a context that the service would refuse is left out, the console says why, and the message is sent', async () => {
    const visit = await site.open({ attributes: tag("data-context='{broken'") });
    await visit.launcher.click();
    const hostile = [
      ['nested', { cart: { sku: 'L-9' } }],
      ['list', ['L-9']],
      ['text', 'L-9'],
      ['NUL', { title: 'a\0b' }],
      ['surrogate', { title: '\ud800' }],
      ['infinite', { price: Number.POSITIVE_INFINITY }],
      ['big', { title: 'ä'.repeat(1_020) }],
      ['keys', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, n]))],
    ] as const;
    for (const [name, context] of hostile) {
      // Lone surrogates do not survive the protocol of the browser.
      await visit.page.evaluate(
        ([kind, given]) => {
          const value = kind === 'surrogate' ? { title: '\ud800' } : kind === 'infinite' ? { price: 1 / 0 } : given;
          (window as unknown as Api).chatWidget.setContext({ sku: 'before' });
          (window as unknown as Api).chatWidget.setContext(value);
        },
        [name, context] as const,
      );
      await visit.ask(`${name} whereabouts`);
      await visit.messages.getByText(`Answer to ${name} whereabouts`, { exact: true }).waitFor();
      await visit.panel.getByRole('button', { name: 'Send message' }).waitFor();
      expect([name, described()]).toEqual([name, undefined]);
    }
    const said = visit.faults.filter((text) => text.includes('The context of the page'));
    expect(said).toHaveLength(hostile.length + 1);
    expect(visit.faults).toEqual(said);
    // The largest that the service accepts.
    await visit.page.evaluate((title) => (window as unknown as Api).chatWidget.setContext({ title }), `${'ä'.repeat(1_017)}`);
    await visit.ask('largest whereabouts');
    await until(() => described()?.length === 1_029);
    expect(await visit.messages.getByText('The message was not sent.').count()).toBe(0);
  });
}
