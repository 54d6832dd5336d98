import { startReceiving } from '../integration/receiving.ts';
import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { CREATE_COLLECTION, CREATE_ITEM } from './content.ts';

const UPDATES = `subscription ($id: ID!, $after: Int) {
  siteWebhookDeliveryUpdates(webhookId: $id, after: $after) { sequence attempt { responseStatus } delivery { id status event } }
}`;
const REPLAY = `mutation ($id: ID!, $range: DeliveryRange!) { replaySiteWebhookDeliveries(webhookId: $id, range: $range) { id total status } }`;
const CHECK = 'query ($input: ReceivedDelivery!) { checkSiteWebhookSignature(input: $input) { family accepted } }';

let status = 200;
let receiving: Awaited<ReturnType<typeof startReceiving>>;
beforeAll(async () => {
  // Like a receiver that repeats what it received.
  receiving = await startReceiving(({ text }, response) => void response.writeHead(status).end(text));
});
afterAll(() => receiving.stop());

/** A webhook of a workspace to the receiver, with clients of the owner and of a member who edits nothing. */
async function open() {
  const { databaseUrl, url } = receiving.system;
  const organization = await seedOrganization({ databaseUrl });
  const user = await organization.addMember('member');
  const [owner, member] = [organization.key, user.key].map((key) => caller(key, { url }));
  const { createWorkspace } = await owner!.graphql('mutation { createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const input = { workspaceId: createWorkspace.id, name: 'Cache', url: 'https://hooks.example.com/', events: ['page.updated'] };
  const create = 'mutation ($input: NewSiteWebhook!) { createSiteWebhook(input: $input) { id failureCount disabledAt } }';
  const { createSiteWebhook: webhook } = await owner!.graphql(create, { input });
  await receiving.pool.query('update webhooks.subscriptions set url = $2 where id = $1', [webhook.id, receiving.receiver.url]);
  const test = () => owner!.graphql('mutation ($id: ID!) { testSiteWebhook(id: $id) { id } }', { id: webhook.id });
  const ids = { id: webhook.id as string, userId: user.id, workspaceId: createWorkspace.id as string };
  return { owner: owner!, member: member!, key: organization.key, ...ids, test };
}

test('attempts of a webhook of a workspace are streamed, and its log has the attempts of each delivery', async () => {
  const { owner, id, test } = await open();
  status = 500;
  await test();
  await receiving.sweep();
  const received: { sequence: number; delivery: { id: string } }[] = [];
  const stream = owner.subscribe(UPDATES, { id, after: 0 });
  const reading = (async () => {
    for await (const { data } of stream) received.push(data!.siteWebhookDeliveryUpdates);
  })();
  await until(() => received.length === 1);
  expect(received[0]).toMatchObject({ sequence: 1, attempt: { responseStatus: 500 }, delivery: { status: 'pending' } });
  const log = 'query ($id: ID!) { siteWebhookDelivery(id: $id) { event log { number responseStatus } } }';
  expect(await owner.graphql(log, { id: received[0]!.delivery.id })).toEqual({
    siteWebhookDelivery: { event: 'page.updated', log: [{ number: 1, responseStatus: 500 }] },
  });
  status = 200;
  await receiving.skipWaits();
  await receiving.sweep();
  await until(() => received.length === 2);
  expect(received[1]).toMatchObject({ sequence: 2, delivery: { status: 'delivered' } });
  await stream.return?.();
  await reading;
});

test('editors replay a range of deliveries; others are refused', async () => {
  const { owner, member, id, test } = await open();
  for (let nth = 0; nth < 3; nth += 1) await test();
  await receiving.sweep();
  const calls = receiving.receiver.calls.length;
  expect(await member.refusal(REPLAY, { id, range: {} })).toMatchObject({ code: 'FORBIDDEN' });
  const { replaySiteWebhookDeliveries: replay } = await owner.graphql(REPLAY, { id, range: { status: 'delivered' } });
  expect(replay).toMatchObject({ total: 3, status: 'running' });
  const stop = 'mutation ($id: ID!) { stopSiteWebhookDeliveryReplay(id: $id) { id } }';
  expect(await member.refusal(stop, { id: replay.id })).toMatchObject({ code: 'FORBIDDEN' });
  const read = 'query ($id: ID!) { siteWebhookDeliveryReplay(id: $id) { status } }';
  await until(async () => {
    await receiving.sweep();
    return (await owner.graphql(read, { id: replay.id })).siteWebhookDeliveryReplay.status === 'completed';
  });
  await receiving.sweep();
  expect(receiving.receiver.calls.length).toBe(calls + 3);
});

test('a signature of a delivery can be checked', async () => {
  const { owner, id, test } = await open();
  await test();
  await receiving.sweep();
  const { headers, text } = receiving.receiver.calls.at(-1)!;
  const { siteWebhookSecret } = await owner.graphql('query ($id: ID!) { siteWebhookSecret(id: $id) { secret } }', { id });
  const input = { headers: JSON.stringify(headers), body: text, secret: siteWebhookSecret.secret };
  const { checkSiteWebhookSignature: reports } = await owner.graphql(CHECK, { input });
  expect(reports.map(({ accepted }: { accepted: boolean }) => accepted)).toEqual([true, true]);
});

const BODIES = `query ($id: ID!) {
  siteWebhookDeliveries(webhookId: $id) { nodes { id event status body log { responseStatus responseSnippet } } }
}`;
const ONE = 'query ($id: ID!) { siteWebhookDelivery(id: $id) { event body log { responseSnippet } } }';
const LIVE = `subscription ($id: ID!) {
  siteWebhookDeliveryUpdates(webhookId: $id) { attempt { responseStatus responseSnippet } delivery { event body log { responseSnippet } } }
}`;

test('members who may not read drafts see deliveries without bodies and responses', async () => {
  const { owner, member, id, test } = await open();
  await test();
  await receiving.sweep();
  const [full] = (await owner.graphql(BODIES, { id })).siteWebhookDeliveries.nodes;
  expect(JSON.parse(full.body)).toMatchObject({ event: 'page.updated', data: { title: 'Sample page' } });
  expect(full.log).toEqual([{ responseStatus: 200, responseSnippet: full.body.slice(0, 500) }]);
  const hidden = { ...full, body: null, log: [{ responseStatus: 200, responseSnippet: null }] };
  expect((await member.graphql(BODIES, { id })).siteWebhookDeliveries.nodes).toEqual([hidden]);
  expect((await member.graphql(ONE, { id: full.id })).siteWebhookDelivery).toEqual({
    event: 'page.updated',
    body: null,
    log: [{ responseSnippet: null }],
  });
});

test('live updates show bodies according to the current role in the workspace', async () => {
  const { owner, member, userId, workspaceId, id, test } = await open();
  const change = (name: string, args: string) => owner.graphql(`mutation { member: ${name}(${args}) { id } }`);
  const { member: added } = await change('addWorkspaceMember', `workspaceId: "${workspaceId}", userId: "${userId}", role: admin`);
  const received: (string | null)[][] = [];
  const stream = member.subscribe(LIVE, { id });
  const reading = (async () => {
    for await (const { data } of stream) {
      const { attempt, delivery } = data!.siteWebhookDeliveryUpdates;
      expect([attempt.responseStatus, delivery.event]).toEqual([200, 'page.updated']);
      received.push([delivery.body, attempt.responseSnippet, delivery.log[0].responseSnippet]);
    }
  })();
  const watched = `select 1 from webhooks.subscriptions where id = $1 and watched_until > now()`;
  await until(async () => (await receiving.pool.query(watched, [id])).rows.length === 1);
  for (const [nth, role] of ['admin', 'member', 'admin'].entries()) {
    await change('updateWorkspaceMember', `id: "${added.id}", role: ${role}`);
    await test();
    await receiving.sweep();
    await until(() => received.length === nth + 1);
  }
  expect(received.map((texts) => texts.map((text) => text !== null))).toEqual([
    [true, true, true],
    [false, false, false],
    [true, true, true],
  ]);
  await stream.return?.();
  await reading;
});

test('an item with long texts emits an event that its receiver completes over REST', async () => {
  const { owner, key, workspaceId, id } = await open();
  const make = async (text: string, variables: object): Promise<{ id: string }> =>
    (await owner.graphql(text, { ...variables })).made;
  const input = { workspaceId, name: 'S', slug: `s-${id.slice(0, 8)}` };
  const site = await make('mutation ($input: NewSite!) { made: createSite(input: $input) { id } }', { input });
  const fields = [{ name: 'text', type: 'rich-text', required: false, options: [] }];
  const collection = await make(CREATE_COLLECTION, { siteId: site.id, input: { name: 'c', slug: 'c', fields } });
  await owner.graphql('mutation ($id: ID!, $input: SiteWebhookChange!) { updateSiteWebhook(id: $id, input: $input) { id } }', {
    id,
    input: { events: ['collection.item.created'] },
  });
  const text = 'é'.repeat(400_000);
  const item = await make(CREATE_ITEM, { collectionId: collection.id, input: { slug: 'long', fields: { text } } });
  await receiving.sweep();
  const { data } = receiving.receiver.calls.at(-1)!.body;
  expect(data).toMatchObject({
    id: item.id,
    siteId: site.id,
    collectionId: collection.id,
    slug: 'long',
    status: 'draft',
    truncated: true,
  });
  expect(data).not.toHaveProperty('fields');
  const path = `/api/v1/sites/${data.siteId}/collections/${data.collectionId}/items/${data.id}`;
  const { body } = await caller(key, { url: receiving.gateway.siteUrl }).get(path, { authorization: `Bearer ${key}` });
  expect(body.data.fields).toEqual({ text });
});
