import { addProduct } from '../agent/catalog-data.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { violationsOf } from './axe.ts';
import { browserTest, type Website } from './widget-page.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Tests of the cards of products on a website that `open` returns. */
export function productTests(open: () => Promise<Website>): void {
  let site: Website;
  let agent: Awaited<ReturnType<Website['seed']>>;
  const tag = (more = '') => `data-agent="${agent.agent.publicSlug}" ${more}`;

  browserTest('a website opens, whose agent knows lamps', async () => {
    site = await open();
    agent = await site.seed({ catalogAccess: true, productPage: 'https://shop.example.com/p/{{sku}}' });
    await agent.admin.graphql('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', {
      input: { name: 'Price', slug: 'price', type: 'number', unit: 'EUR' },
    });
    await addProduct(agent, { sku: 'L-9', name: 'Lamp Nord' }, { price: { value: 1059.5 } });
    await addProduct(agent, { sku: 'L-10', name: '<img src=x onerror="window.hacked=1"> شكرا' }, {});
    await addProduct(agent, { sku: 'L-11', name: 'Lamp without a picture' }, {});
    const pictures = { 'L-9': 'https://pics.example.com/nord.png', 'L-10': 'https://pics.example.com/broken.png' };
    for (const [sku, url] of Object.entries(pictures))
      await database().query(
        `insert into catalog.product_images (id, organization_id, product_id, url, source_url, mime, bytes, content_hash, created_at)
         select gen_random_uuid(), organization_id, id, $3, $3, 'image/png', 1, $3, now() from catalog.products where organization_id = $1 and sku = $2`,
        [agent.id, sku, url],
      );
    site.provider.on('lamps', (response, { messages }) => {
      const read = messages.filter(({ role }) => role === 'tool').length;
      const sku = ['L-9', 'L-10', 'L-11'][read];
      if (sku) response.call(0, `c${read}`, 'read_product', JSON.stringify({ sku })).finish('tool_calls');
      else response.text('We have these [1] [2] [3].').finish();
    });
  });

  browserTest('an answer shows its products as cards, also after a reload, and they open by keyboard', async () => {
    const visit = await site.open({ attributes: tag() });
    const asked: { url: string; referrer: string | undefined }[] = [];
    await visit.context.route('https://pics.example.com/**', (route) => {
      asked.push({ url: route.request().url(), referrer: route.request().headers().referer });
      return route.request().url().endsWith('nord.png') ? route.fulfill({ contentType: 'image/png', body: PIXEL }) : route.abort();
    });
    await visit.context.route('https://shop.example.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: 'The page' }),
    );
    await visit.launcher.click();
    await visit.ask('which lamps?');
    const cards = visit.panel.getByRole('list', { name: 'Products' });
    const nord = cards.getByRole('link', { name: /^Lamp Nord/ });
    await nord.waitFor();
    expect(await cards.getByRole('listitem').count()).toBe(3);
    expect(await nord.textContent()).toMatch(/^Lamp Nord€1,059\.50/);
    expect(await nord.evaluate((link: HTMLAnchorElement) => [link.href, link.rel, link.target, link.referrerPolicy])).toEqual([
      'https://shop.example.com/p/L-9',
      'noopener noreferrer nofollow',
      '_blank',
      'no-referrer',
    ]);
    const picture = nord.locator('img');
    await until(async () => picture.evaluate((each: HTMLImageElement) => each.complete && each.naturalWidth > 0));
    expect(await picture.evaluate((each: HTMLImageElement) => [each.loading, each.referrerPolicy, each.alt])).toEqual([
      'lazy',
      'no-referrer',
      '',
    ]);
    // A picture that cannot be loaded leaves nothing behind.
    await until(async () => (await cards.locator('img').count()) === 1);
    expect(asked.map(({ referrer }) => referrer).filter(Boolean)).toEqual([]);
    await cards.getByText('<img src=x onerror="window.hacked=1"> شكرا').waitFor();
    expect(await visit.page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await violationsOf(visit.page)).toEqual([]);
    // The sources are links to the same pages.
    await visit.messages
      .filter({ hasText: 'Sources' })
      .first()
      .getByRole('link', { name: /^Lamp without a picture/ })
      .last()
      .waitFor();

    await nord.focus();
    const [opened] = await Promise.all([visit.context.waitForEvent('page'), visit.page.keyboard.press('Enter')]);
    await opened.waitForURL('https://shop.example.com/p/L-9');
    await opened.close();
    await visit.page.reload();
    await nord.waitFor();
    expect(visit.faults.filter((text) => !text.includes('pics.example.com'))).toEqual([]);
  });

  browserTest('on a page whose policy permits no pictures, and without a page of the product, a card is text', async () => {
    await agent.admin.graphql('mutation ($id: ID!) { updateAgent(id: $id, input: { productPage: null }) { id } }', {
      id: agent.agent.id,
    });
    const { url } = site.gateway;
    const policy = `default-src 'none'; script-src ${url}; connect-src ${url}; require-trusted-types-for 'script'; trusted-types 'none'`;
    const visit = await site.open({ attributes: tag('data-lang="de"'), policy });
    await visit.page.getByRole('button', { name: 'Chat öffnen' }).click();
    await visit.ask('which lamps?');
    const cards = visit.panel.getByRole('list', { name: 'Produkte' });
    await cards.getByText('1.059,50 €').waitFor();
    await until(async () => (await cards.locator('img').count()) === 0);
    expect(await cards.getByRole('link').count()).toBe(0);

    await agent.admin.graphql('mutation ($id: ID!) { updateAgent(id: $id, input: { productPictures: false }) { id } }', {
      id: agent.agent.id,
    });
    const strict = await site.open({ attributes: tag(), policy });
    await strict.launcher.click();
    await strict.ask('which lamps?');
    await strict.panel.getByRole('list', { name: 'Products' }).getByText('Lamp Nord').waitFor();
    expect(strict.faults).toEqual([]);
    expect([...strict.requested].sort()).toEqual([site.origin, url].sort());
  });
}
