import { duringTransaction } from '../support/rival.ts';
import { MERGE, NOTE, open, READ, REPLY, REQUESTER_REPLY, STATUS } from './ticket-operations.ts';

describe('merging', () => {
  test('moves the messages of the duplicate, cancels it and notes it', async () => {
    const { create, graphql, refusal } = await open();
    const [ticket, duplicate] = [await create({ requesterEmail: 'ada@example.com' }), await create({ subject: 'Again broken' })];
    await graphql(REPLY, { id: duplicate.id, text: 'We look into it.' });
    await graphql(MERGE, { id: ticket.id, duplicateId: duplicate.id });
    const { ticket: merged } = await graphql(READ, { id: ticket.id });
    expect(merged.contact).toEqual({ email: 'ada@example.com' });
    expect(merged.messages.nodes.map(({ kind, text }: { kind: string; text: string }) => [kind, text])).toEqual([
      ['reply', 'We look into it.'],
      ['note', 'Merged TKT-1002: Again broken\n\nAgain broken'],
    ]);
    expect((await graphql(READ, { id: duplicate.id })).ticket).toMatchObject({
      status: 'cancelled',
      mergedIntoId: ticket.id,
      messages: { pagination: { total: 0 } },
    });
    for (const ids of [
      { id: ticket.id, duplicateId: ticket.id.toUpperCase() },
      { id: ticket.id, duplicateId: duplicate.id },
      { id: duplicate.id, duplicateId: ticket.id },
    ])
      expect(await refusal(MERGE, ids)).toMatchObject({ code: 'UNPROCESSABLE' });
  });

  test('joins the tags, those of the ticket first where both have too many', async () => {
    const { create, graphql } = await open();
    const TAG = 'mutation ($id: ID!, $tags: [String!]!) { setTicketTags(id: $id, tags: $tags) { id } }';
    const TAGS = 'query ($id: ID!) { ticket(id: $id) { tags } }';
    const tagged = async (tags: string[]) => {
      const { id } = await create();
      await graphql(TAG, { id, tags });
      return id as string;
    };
    const id = await tagged(['vip', 'lamp']);
    await graphql(MERGE, { id, duplicateId: await tagged(['refund', 'lamp']) });
    expect((await graphql(TAGS, { id })).ticket.tags).toEqual(['lamp', 'refund', 'vip']);
    const numbers = Array.from({ length: 20 }, (_, nth) => `a${String(nth).padStart(2, '0')}`);
    await graphql(MERGE, { id, duplicateId: await tagged(numbers) });
    const { tags } = (await graphql(TAGS, { id })).ticket;
    expect(tags).toEqual([...numbers.slice(0, 17), 'lamp', 'refund', 'vip']);
    // The form of tags saves them as they are.
    await graphql(TAG, { id, tags });
  });

  test('a merged ticket takes no changes, and a reply of the requester goes to the ticket that it was merged into', async () => {
    const { create, graphql, refusal } = await open();
    const [first, second, third] = [await create(), await create(), await create()];
    await graphql(STATUS, { id: first.id, status: 'closed' });
    await graphql(MERGE, { id: second.id, duplicateId: first.id });
    await graphql(MERGE, { id: third.id, duplicateId: second.id });
    const merged = { code: 'UNPROCESSABLE', message: 'The ticket TKT-1001 was merged into another.' };
    expect(await refusal(REPLY, { id: first.id, text: 'Hello?' })).toEqual(merged);
    expect(await refusal(NOTE, { id: first.id, text: 'A note' })).toEqual(merged);
    expect(await refusal(STATUS, { id: first.id, status: 'on_hold' })).toEqual(merged);
    expect((await graphql(REQUESTER_REPLY, { id: first.id, text: 'It broke again.' })).addRequesterReply).toEqual({
      id: third.id,
      status: 'on_you',
    });
    expect((await graphql(READ, { id: first.id })).ticket).toMatchObject({
      status: 'closed',
      messages: { pagination: { total: 0 } },
    });
  });

  test('a reply of the requester to a ticket that is being merged goes to the other ticket', async () => {
    const { create, graphql } = await open();
    const [ticket, duplicate] = [await create(), await create()];
    const { addRequesterReply } = await duringTransaction(
      (rival) =>
        rival.query(`update agent.tickets set merged_into_id = $1, status = 'cancelled' where id = $2`, [ticket.id, duplicate.id]),
      () => graphql(REQUESTER_REPLY, { id: duplicate.id, text: 'It broke again.' }),
    );
    expect(addRequesterReply).toEqual({ id: ticket.id, status: 'on_you' });
  });

  test('two tickets merged into each other at once leave one merged', async () => {
    const { create, refusal } = await open();
    const [{ id: one }, { id: two }] = [await create(), await create()];
    const codes = await Promise.all([refusal(MERGE, { id: one, duplicateId: two }), refusal(MERGE, { id: two, duplicateId: one })]);
    expect(codes.map(({ code }) => code).sort()).toEqual(['UNPROCESSABLE', undefined]);
  });
});
