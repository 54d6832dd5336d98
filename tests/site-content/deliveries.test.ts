import { startReceiving } from '../integration/receiving.ts';
import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

const UPDATES = `subscription ($id: ID!, $after: Int) {
  siteWebhookDeliveryUpdates(webhookId: $id, after: $after) { sequence attempt { responseStatus } delivery { id status event } }
}`;
const REPLAY = `mutation ($id: ID!, $range: DeliveryRange!) { replaySiteWebhookDeliveries(webhookId: $id, range: $range) { id total status } }`;
const CHECK = 'query ($input: ReceivedDelivery!) { checkSiteWebhookSignature(input: $input) { family accepted } }';

let status = 200;
let receiving: Awaited<ReturnType<typeof startReceiving>>;
beforeAll(async () => {
  receiving = await startReceiving((_, response) => void response.writeHead(status).end());
});
afterAll(() => receiving.stop());

/** A webhook of a workspace to the receiver, with clients of the owner and of a member who edits nothing. */
async function open() {
  const { databaseUrl, url } = receiving.system;
  const organization = await seedOrganization({ databaseUrl });
  const [owner, member] = [organization.key, (await organization.addMember('member')).key].map((key) => caller(key, { url }));
  const { createWorkspace } = await owner!.graphql('mutation { createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const input = { workspaceId: createWorkspace.id, name: 'Cache', url: 'https://hooks.example.com/', events: ['page.updated'] };
  const create = 'mutation ($input: NewSiteWebhook!) { createSiteWebhook(input: $input) { id failureCount disabledAt } }';
  const { createSiteWebhook: webhook } = await owner!.graphql(create, { input });
  await receiving.pool.query('update webhooks.subscriptions set url = $2 where id = $1', [webhook.id, receiving.receiver.url]);
  const test = () => owner!.graphql('mutation ($id: ID!) { testSiteWebhook(id: $id) { id } }', { id: webhook.id });
  return { owner: owner!, member: member!, id: webhook.id as string, test };
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
