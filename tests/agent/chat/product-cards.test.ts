import { randomUUID } from 'node:crypto';
import { type ScriptedResponse, startChatProvider } from '../../support/chat-provider.ts';
import { caller } from '../../support/client.ts';
import { quickest } from '../../support/cpu-time.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { addProduct } from '../catalog-data.ts';
import { ORIGIN, question, seedAgent, send } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, CHAT_LIMIT_VISITOR: '1000', CHAT_LIMIT_IP: '1000' });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const PAGE = 'https://shop.example.com/p/{{sku}}?ref=chat';
const acme = await seedAgent(gateway.url, { catalogAccess: true, productPage: PAGE });
const other = await seedAgent(gateway.url, { catalogAccess: true, productPage: PAGE });
/** A picture of a product, as a job finds it. */
const addPicture = (sku: string, url: string, organizationId = acme.id) =>
  database().query(
    `insert into catalog.product_images (id, organization_id, product_id, url, source_url, alt, mime, bytes, content_hash, created_at)
     select gen_random_uuid(), organization_id, id, $3, 'https://maker.example.com/', 'alt', 'image/png', 1, $3, now()
       from catalog.products where organization_id = $1 and sku = $2`,
    [organizationId, sku, url],
  );
beforeAll(async () => {
  await addProduct(acme, { sku: 'L/9 ä', name: 'Lamp Nord' }, { price: { value: 59.5 }, cost: { value: 12 } });
  await addProduct(acme, { sku: 'L-10', name: 'Lamp South' }, { price: { value: 'on request' } });
  await addProduct(acme, { sku: 'L-11', name: '<script>alert(1)</script>' }, {});
  await addProduct(acme, { sku: '..', name: 'Lamp of dots' }, {});
  for (let nth = 1; nth <= 8; nth += 1) await addProduct(acme, { sku: `B-${nth}`, name: `Bulb ${nth}` }, {});
  await addProduct(other, { sku: 'L-10', name: 'Foreign lamp' }, { price: { value: 1 } });
  for (const url of [
    'http://pics.example.com/l9.png',
    'javascript:alert(1)',
    'https://u:p@pics.example.com/a.png',
    'https://pics.example.com/l9.png',
  ])
    await addPicture('L/9 ä', url);
});

const say = (site: typeof acme, text: string, visitorId: string = randomUUID(), more: object = {}) =>
  send(site.widgetPath, { ...question(text), ...more }, { origin: ORIGIN, 'x-visitor-id': visitorId });
const outside = caller(undefined, { url: gateway.url });
const productsOf = async (visitorId: string, conversationId: string, site = acme) => {
  const path = `/api/agents/${site.agent.publicSlug}/chat/${conversationId}/products`;
  const { status, body } = await outside.send('GET', path, undefined, { origin: ORIGIN, 'x-visitor-id': visitorId });
  return status === 200 ? body.replies : status;
};
/** The model reads these products, and then answers. */
const answering = (word: string, reads: string[], answer: string) =>
  provider.on(word, (response: ScriptedResponse, { messages }) => {
    const done = messages.filter(({ role }) => role === 'tool').length;
    const next = reads[done];
    if (next !== undefined && messages.at(-1)!.role !== 'assistant' && done < reads.length)
      return response.call(0, `c${done}`, 'read_product', JSON.stringify({ sku: next })).finish('tool_calls');
    response.text(answer).finish();
  });

test('a reply has the products that it cites, with public fields, and its citations are links to their pages', async () => {
  answering('which lamp', ['L-10', 'L/9 ä', 'L-11'], 'Take the one of the north [2], or another [1].');
  const { parts, visitorId, conversationId } = await say(acme, 'which lamp?');
  expect(parts.filter(({ type }) => type.startsWith('source'))).toEqual([
    { type: 'source-url', sourceId: 'product:L-10', url: 'https://shop.example.com/p/L-10?ref=chat', title: 'Lamp South' },
    {
      type: 'source-url',
      sourceId: 'product:L/9 ä',
      url: 'https://shop.example.com/p/L%2F9%20%C3%A4?ref=chat',
      title: 'Lamp Nord',
    },
  ]);
  const [{ messageId, products }, ...rest] = await productsOf(visitorId, conversationId);
  expect([messageId, rest]).toEqual([parts[0]!.messageId, []]);
  const none = { brand: null, priceUnit: null, pictureUrl: null };
  expect(products).toEqual([
    {
      ...none,
      ...{ sku: 'L/9 ä', name: 'Lamp Nord', price: '59.5' },
      ...{ url: 'https://shop.example.com/p/L%2F9%20%C3%A4?ref=chat', pictureUrl: 'https://pics.example.com/l9.png' },
    },
    { ...none, sku: 'L-10', name: 'Lamp South', price: 'on request', url: 'https://shop.example.com/p/L-10?ref=chat' },
  ]);
});

test('a reply without citations has the products that it names, at most five, and none that it only found', async () => {
  provider.on('bulbs', (response, { messages }) => {
    if (messages.at(-1)!.role !== 'tool') return response.call(0, 'c1', 'search_products', '{"query":"bulb"}').finish('tool_calls');
    response
      .text(
        messages.some(({ content }) => content?.includes('all bulbs'))
          ? 'Bulb 1, bulb 2, Bulb 3, Bulb 4, Bulb 5, BULB 6, Bulb 7'
          : 'See b-3.',
      )
      .finish();
  });
  const all = await say(acme, 'all bulbs');
  expect((await productsOf(all.visitorId, all.conversationId))[0].products).toHaveLength(5);
  const one = await say(acme, 'some bulbs');
  const [{ products }] = await productsOf(one.visitorId, one.conversationId);
  expect(products.map(({ sku }: { sku: string }) => sku)).toEqual(['B-3']);
  provider.on('nothing fits', (response, { messages }) => {
    if (messages.at(-1)!.role !== 'tool') return response.call(0, 'c1', 'search_products', '{"query":"bulb"}').finish('tool_calls');
    response.text('[no-answer] I do not know about Bulb 1.').finish();
  });
  const unknown = await say(acme, 'nothing fits');
  expect(await productsOf(unknown.visitorId, unknown.conversationId)).toEqual([]);
});

test('prices and pictures follow the settings of the agent, and the catalog as it is now', async () => {
  answering('north', ['L/9 ä'], 'The Lamp Nord.');
  const { visitorId, conversationId } = await say(acme, 'north?');
  const change = (input: object) =>
    acme.admin.graphql('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', {
      id: acme.agent.id,
      input,
    });
  const card = async () => (await productsOf(visitorId, conversationId))[0]?.products[0];
  await change({ catalogAttributes: ['cost'], productPictures: false, productPage: null });
  expect(await card()).toMatchObject({ name: 'Lamp Nord', price: null, pictureUrl: null, url: null });
  await change({ catalogAttributes: ['price'], productPictures: null, productPage: 'https://shop.example.com/{{externalId}}' });
  expect(await card()).toMatchObject({ price: '59.5', pictureUrl: 'https://pics.example.com/l9.png', url: null });
  await change({ catalogAccess: false });
  expect(await productsOf(visitorId, conversationId)).toEqual([]);
  await change({ catalogAccess: true, catalogAttributes: null, productPage: PAGE });
  await database().query('update catalog.products set archived = true where organization_id = $1 and sku = $2', [acme.id, 'L/9 ä']);
  expect(await productsOf(visitorId, conversationId)).toEqual([]);
  await database().query('update catalog.products set archived = false where organization_id = $1', [acme.id]);
  expect(await card()).toMatchObject({ name: 'Lamp Nord' });
});

test.each([
  ['http://shop.example.com/{{sku}}', 'must be an https URL without credentials'],
  ['javascript:alert({{sku}})', 'must be an https URL without credentials'],
  ['/p/{{sku}}', 'must be an https URL without credentials'],
  ['https://u:p@shop.example.com/{{sku}}', 'must be an https URL without credentials'],
  ['https://{{sku}}.example.com/', 'must not contain a placeholder in its host'],
  ['https://shop.example.com/{{name}}', 'may contain only {{sku}} and {{externalId}}'],
  ['https://shop.example.com/', 'must contain {{sku}} or {{externalId}}'],
])('%s is no pattern of pages', async (productPage, fault) => {
  const { body } = await acme.admin.post('/graphql', {
    query: 'mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }',
    variables: { id: acme.agent.id, input: { productPage } },
  });
  expect(body.errors[0].message).toContain(`productPage ${fault}`);
});

test('a product cannot leave the folder of the pages', async () => {
  answering('dots', ['..'], 'The Lamp of dots.');
  const { visitorId, conversationId } = await say(acme, 'dots?');
  expect((await productsOf(visitorId, conversationId))[0].products).toMatchObject([{ sku: '..', url: null }]);
});

test('nobody else reads the products of a conversation, and those of other organizations never appear', async () => {
  answering('south', ['L-10'], 'The Lamp South, L-10.');
  const mine = await say(acme, 'south?');
  expect(await productsOf(randomUUID(), mine.conversationId)).toBe(404);
  expect(await productsOf(mine.visitorId, mine.conversationId, other)).toBe(404);
  expect(await productsOf(mine.visitorId, randomUUID())).toBe(404);
  const foreign = await say(other, 'south?');
  expect((await productsOf(foreign.visitorId, foreign.conversationId, other))[0].products).toMatchObject([
    { name: 'Foreign lamp' },
  ]);
  // A stored SKU cannot name a product of somebody else, either.
  await database().query(`update agent.messages set products = '{SECRET,L-10}' where conversation_id = $1 and role = 'assistant'`, [
    mine.conversationId,
  ]);
  expect((await productsOf(mine.visitorId, mine.conversationId))[0].products).toMatchObject([{ name: 'Lamp South' }]);
});

test('documented clients get the same stream, and a conversation of 10,000 messages shows those of the newest ten replies', async () => {
  answering('plain', ['L-10'], 'The Lamp South.');
  const { parts, visitorId, conversationId } = await say(acme, 'plain?');
  expect([...new Set(parts.map(({ type }) => type))]).toEqual([
    ...['start', 'start-step', 'tool-input-start', 'tool-input-available', 'tool-output-available', 'finish-step'],
    ...['text-start', 'text-delta', 'text-end', 'finish'],
  ]);
  const short = await quickest(() => productsOf(visitorId, conversationId));
  await database().query(
    `insert into agent.messages (id, organization_id, conversation_id, position, role, status, text, products)
     select gen_random_uuid(), $1, $2, 10 + n, 'assistant', 'complete', 'Found.', array['L-10', 'B-1'] from generate_series(1, 10000) n`,
    [acme.id, conversationId],
  );
  expect(await productsOf(visitorId, conversationId)).toHaveLength(10);
  // With all messages it would take hundreds of times as long.
  expect(await quickest(() => productsOf(visitorId, conversationId))).toBeLessThan(25 * short);
});
