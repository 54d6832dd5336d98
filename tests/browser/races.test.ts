import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { caller } from '../support/client.ts';
import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { browserTest, dashboard } from './dashboard.ts';
import { runs } from './held-answer.ts';

const visit = dashboard();

/** Lose the answer to the first mutation of the page. Returns the number of answers. */
async function loseAnswer(page: Page): Promise<() => number> {
  let attempts = 0;
  await page.route('**/graphql', async (route) => {
    if (!runs('mutation')(route.request())) return route.fallback();
    const response = await route.fetch();
    attempts += 1;
    if (attempts === 1) await route.abort();
    else await route.fulfill({ response });
  });
  return () => attempts;
}

browserTest('a second attempt after a lost answer creates no second agent', async () => {
  const { slug, owner, id } = await seedOrganization({ modules: ['helpdesk'] });
  const page = await visit(`/o/${slug}/agents`, { userId: owner.id });
  await page.getByRole('button', { name: 'New agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Zoe');
  const attempts = await loseAnswer(page);
  const create = dialog.getByRole('button', { name: 'Create' });
  await create.click();
  await page.getByText('The server cannot be reached.').waitFor();
  await create.click();
  await page.getByRole('heading', { level: 1, name: 'Zoe' }).waitFor();
  const { rows } = await database().query('select name from agent.agents where organization_id = $1', [id]);
  expect([attempts(), rows]).toEqual([2, [{ name: 'Zoe' }]]);
});

browserTest.each(['Reply', 'Note', 'Requester'])(
  'a message of the kind %s on a ticket that is sent again after a lost answer is written once',
  async (kind) => {
    const { slug, owner, key } = await seedOrganization({ modules: ['helpdesk'] });
    const { graphql } = caller(key);
    const { createAgent } = await graphql('mutation { createAgent(input: { name: "Zoe" }) { id } }');
    const { createTicket } = await graphql('mutation ($input: NewTicket!) { createTicket(input: $input) { id } }', {
      input: { agentId: createAgent.id, subject: 'The lamp is broken' },
    });
    const page = await visit(`/o/${slug}/inbox/tickets/${createTicket.id}`, { userId: owner.id });
    const dialog = page.getByRole('dialog');
    await dialog.getByText(kind, { exact: true }).click();
    const input = dialog.getByRole('textbox', { name: kind });
    await input.fill('It is the fuse.');
    const attempts = await loseAnswer(page);
    await input.press('Enter');
    await page.getByText('The server cannot be reached.').waitFor();
    await until(async () => (await input.inputValue()) === 'It is the fuse.');
    await input.press('Enter');
    await until(() => attempts() === 2);
    const { rows } = await database().query('select text from agent.ticket_messages where ticket_id = $1', [createTicket.id]);
    expect([attempts(), rows]).toEqual([2, [{ text: 'It is the fuse.' }]]);
  },
);

browserTest('an attribute shows the edits of a colleague, and a save leaves them', async () => {
  const catalog = await seedCatalog();
  const id = catalog.attributeIds.color;
  const write = (input: object) =>
    catalog.api.graphql('mutation ($id: ID!, $input: AttributeChange!) { updateAttribute(id: $id, input: $input) { id } }', {
      id,
      input,
    });
  const page = await visit(`/o/${catalog.slug}/attributes/edit/${id}`, { userId: catalog.owner.id });
  const prompt = page.getByLabel('Instruction for the model');
  await prompt.waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Attributes' }).click();
  await write({ prompt: 'Of the seat' });
  await page.getByRole('link', { name: 'Color' }).click();
  await until(async () => (await prompt.inputValue()) === 'Of the seat');
  await write({ unit: null, examples: ['red'] });
  await page.getByLabel('Name').fill('Colour');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const { attribute } = await catalog.api.graphql('query ($id: ID!) { attribute(id: $id) { name prompt examples } }', { id });
  expect(attribute).toEqual({ name: 'Colour', prompt: 'Of the seat', examples: ['red'] });
});

browserTest('a new name of an attribute set leaves the attributes that a colleague added', async () => {
  const catalog = await seedCatalog([color, weight]);
  const { attributeIds, api } = catalog;
  const made = await api.graphql(
    'mutation ($ids: [ID!]!) { createAttributeSet(name: "Chairs", subject: product, attributeIds: $ids) { id } }',
    { ids: [attributeIds.color] },
  );
  const { id } = made.createAttributeSet;
  const page = await visit(`/o/${catalog.slug}/attributes/sets/${id}`, { userId: catalog.owner.id });
  await page.getByLabel('Name').fill('Seats');
  await api.graphql('mutation ($id: ID!, $ids: [ID!]) { updateAttributeSet(id: $id, attributeIds: $ids) { id } }', {
    id,
    ids: [attributeIds.color, attributeIds.weight],
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Move Weight', exact: true }).waitFor();
  const { attributeSet } = await api.graphql(
    'query ($id: ID!) { attributeSet(id: $id) { name attributeSetAttributes { attribute { slug } } } }',
    { id },
  );
  expect(attributeSet).toEqual({
    name: 'Seats',
    attributeSetAttributes: [{ attribute: { slug: 'color' } }, { attribute: { slug: 'weight' } }],
  });
});

browserTest('a decision that fails late leaves the value that is edited meanwhile', async () => {
  const catalog = await seedCatalog();
  await catalog.enrich(await catalog.addColored(3));
  const page = await visit(`/o/${catalog.slug}/review`, { userId: catalog.owner.id });
  await page.getByText('3 open').waitFor();
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    if (!runs('mutation Review(')(route.request())) return route.fallback();
    await promise;
    await route.abort();
  });
  const entries = page.getByRole('region', { name: 'Values to review' }).getByRole('button');
  await page.keyboard.press('a');
  await until(async () => (await entries.count()) === 2);
  await page.keyboard.press('e');
  const field = page.locator('form textarea:visible').first();
  await field.fill('dark blue');
  const chosen = await page.locator('[aria-current]').filter({ hasText: 'Product' }).textContent();
  resolve();
  await until(async () => (await entries.count()) === 3);
  expect(await field.inputValue()).toBe('dark blue');
  expect(await page.locator('[aria-current]').filter({ hasText: 'Product' }).textContent()).toBe(chosen);
});

browserTest('values above a confidence are counted and accepted only after a correction is stored', async () => {
  const catalog = await seedCatalog();
  const products = await catalog.addColored(3);
  await catalog.enrich(products);
  const page = await visit(`/o/${catalog.slug}/review`, { userId: catalog.owner.id });
  await page.getByText('3 open').waitFor();
  const released = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  await page.route('/graphql', async (route) => {
    if (!runs('mutation Review(')(route.request())) return route.fallback();
    sent.resolve();
    await released.promise;
    await route.continue();
  });
  await page.keyboard.press('e');
  await page.locator('form').locator('input:visible, textarea:visible').first().fill('blue');
  await page.getByRole('button', { name: 'Save' }).click();
  await sent.promise;
  await page.getByText('2 open').waitFor();
  await page.getByRole('button', { name: 'Accept many' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('slider').press('Home');
  // Longer than the page waits before it counts.
  await page.waitForTimeout(500);
  const acceptAll = dialog.getByRole('button', { name: 'Accept all' });
  expect([await acceptAll.isEnabled(), await dialog.getByText('3 values match.').isVisible()]).toEqual([false, false]);
  released.resolve();
  await dialog.getByText('2 values match.').waitFor();
  await acceptAll.click();
  await page.getByText('Nothing to review').waitFor();
  const written = await Promise.all(products.map((id) => catalog.product(id, 'attributes')));
  expect(written.map(({ attributes }) => attributes.color.value).sort()).toEqual(['blue', 'red', 'red']);
});

browserTest('a file that uploads slowly leaves the files chosen meanwhile, and the job waits for it', async () => {
  const catalog = await seedCatalog();
  const page = await visit(`/o/${catalog.slug}/jobs/new?kind=ai-import`, { userId: catalog.owner.id });
  const upload = async (name: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload', exact: true }).click(),
    ]);
    await chooser.setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from('SKU,Name\nA,Mug\n') });
  };
  const remove = (name: string) => page.locator('.mantine-MultiSelect-pill').filter({ hasText: name }).locator('button').click();
  const pills = () => page.locator('.mantine-MultiSelect-pill').allTextContents();
  await upload('first.csv');
  await until(async () => (await pills()).length === 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/enrichment-files/upload', async (route) => {
    await promise;
    await route.continue();
  });
  await upload('second.csv');
  await remove('first.csv');
  await until(async () => (await pills()).length === 0);
  expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
  resolve();
  await until(async () => (await pills()).includes('second.csv'));
  expect(await pills()).toEqual(['second.csv']);
});

browserTest('a list that grows shows its new end to a reader at its old end', async () => {
  const catalog = await seedCatalog();
  const gate = randomUUID();
  const jobId = await catalog.start(await catalog.addColored(3, `[[provider: gate 1 ${gate}]]`));
  await catalog.jobWhen(jobId, ({ processedCount }) => processedCount === 1);
  await database().query(
    `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, label, status)
     select gen_random_uuid(), organization_id, id, n, n, 'Item ' || n, 'completed' from catalog.jobs, generate_series(10, 200) n
      where id = $1`,
    [jobId],
  );
  const page = await visit(`/o/${catalog.slug}/jobs/${jobId}?items=completed`, { userId: catalog.owner.id });
  const table = page.getByRole('table', { name: 'Items' });
  const count = () => table.getAttribute('aria-rowcount');
  await until(async () => (await count()) === '193');
  await page.getByRole('region', { name: 'Items' }).focus();
  await page.keyboard.press('End');
  await page.getByText('Item 200').waitFor();
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  await page.getByText('Completed', { exact: true }).first().waitFor();
  await until(async () => (await count()) === '195');
});

browserTest('a page follows its jobs again after its connection fell silent', async () => {
  const catalog = await seedCatalog();
  const silence = await silencerOf(await visit('about:blank', { userId: catalog.owner.id }));
  const { page } = silence;
  await page.goto(`/o/${catalog.slug}/jobs`);
  await page.getByText('No jobs', { exact: true }).waitFor();
  await until(() => silence.isOpen());
  silence.start();
  await catalog.start(await catalog.addColored(1));
  await page.getByRole('link', { name: 'Product enrichment' }).waitFor();
});

/** Drops all messages of the open sockets of a page, as a network does that lost its state. */
async function silencerOf(page: Page) {
  let [generation, opened] = [0, 0];
  await page.routeWebSocket(/\/graphql$/, (socket) => {
    const own = generation;
    const server = socket.connectToServer();
    socket.onMessage((message) => own === generation && server.send(message));
    server.onMessage((message) => {
      opened += 1;
      if (own === generation) socket.send(message);
    });
  });
  return {
    page,
    isOpen: () => opened > 1,
    start() {
      generation += 1;
    },
  };
}
