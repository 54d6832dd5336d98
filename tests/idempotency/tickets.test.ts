import { randomUUID } from 'node:crypto';
import { NOTE, open as openTickets, READ, REPLY, REQUESTER_REPLY } from '../integration/ticket-operations.ts';
import { caller } from '../support/client.ts';
import { duringTransaction } from '../support/rival.ts';

const operations = { replyToTicket: REPLY, addTicketNote: NOTE, addRequesterReply: REQUESTER_REPLY };
const once = () => ({ 'idempotency-key': randomUUID() });

async function open() {
  const tickets = await openTickets();
  const { organization, create, post, graphql, events } = tickets;
  for (const event of ['ticket.replied', 'ticket.status_changed'])
    await post('/webhooks', { event, targetUrl: `https://hooks.example.com/${event}` });
  const { id } = await create();
  const write = (query: string, headers: object, text = 'Hello', key = organization.key) =>
    caller(key).post('/graphql', { query, variables: { id, text } }, { ...headers });
  const texts = async (): Promise<string[]> =>
    (await graphql(READ, { id })).ticket.messages.nodes.map(({ text }: { text: string }) => text);
  const countEvents = async () => (await events()).length;
  return { ...tickets, id, write, texts, countEvents };
}

describe.each(Object.entries(operations))('a repeated %s', (name, query) => {
  test('with the same key writes one message and its events, and returns the first answer', async () => {
    const { write, texts, countEvents } = await open();
    const headers = once();
    const [first, atOnce] = await Promise.all([write(query, headers), write(query, headers)]);
    expect(first.body).toEqual({ data: { [name]: expect.any(Object) } });
    const written = await countEvents();
    expect([atOnce.body, (await write(query, headers)).body]).toEqual([first.body, first.body]);
    expect([await texts(), await countEvents()]).toEqual([['Hello'], written]);
    await write(query, once());
    expect(await texts()).toEqual(['Hello', 'Hello']);
  });

  test('with another text is refused', async () => {
    const { write, texts } = await open();
    const headers = once();
    await write(query, headers);
    expect((await write(query, headers, 'Goodbye')).body.errors[0]).toMatchObject({
      message: 'This Idempotency-Key was used with another body.',
      extensions: { code: 'UNPROCESSABLE' },
    });
    expect(await texts()).toEqual(['Hello']);
  });

  test('is not that of a colleague or of another organization', async () => {
    const [own, other] = await Promise.all([open(), open()]);
    const colleague = await own.organization.addMember('member');
    const headers = once();
    await own.write(query, headers);
    await own.write(query, headers, 'Hello', colleague.key);
    await other.write(query, headers);
    expect([await own.texts(), await other.texts()]).toEqual([['Hello', 'Hello'], ['Hello']]);
  });
});

test('a requester reply with a key to a ticket that is being merged goes to the other ticket', async () => {
  const { create, organization, id, texts } = await open();
  const { id: duplicateId } = await create();
  const headers = once();
  const variables = { id: duplicateId, text: 'It broke again.' };
  const send = () => caller(organization.key).post('/graphql', { query: REQUESTER_REPLY, variables }, headers);
  const first = await duringTransaction(
    (rival) => rival.query(`update agent.tickets set merged_into_id = $1, status = 'cancelled' where id = $2`, [id, duplicateId]),
    send,
  );
  expect(first.body).toEqual({ data: { addRequesterReply: { id, status: 'on_you' } } });
  expect((await send()).body).toEqual(first.body);
  expect(await texts()).toEqual(['It broke again.']);
});
