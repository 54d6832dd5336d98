import { randomUUID } from 'node:crypto';
import { open as openVisit, origin } from '../integration/visitors.ts';
import { caller } from '../support/client.ts';
import { duringTransaction } from '../support/rival.ts';
import { database } from '../support/seed.ts';

const FORM = { name: 'returns', title: 'Returns', fields: [{ name: 'order', label: 'Order' }] };
const CREATE_FORM = 'mutation ($a: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $a, input: $input) { id } }';

/** Sends one request of a visitor, with an event for each record, and counts what was written. */
async function open(kind: Kind) {
  const visit = await openVisit();
  const { graphql, agent, organization, post, raise, visitorId } = visit;
  await post('/webhooks', { event: kinds[kind].event, targetUrl: 'https://hooks.example.com/' });
  await graphql(CREATE_FORM, { a: agent.id, input: FORM });
  const { ticketNumber } = await raise();
  const path = kinds[kind].path.replace(':ticketNumber', ticketNumber);
  const submit = (headers: object, text = 'A-1001', visitor: string | null = visitorId, from = origin) =>
    visit.visit('POST', path, kinds[kind].body(text), visitor, from, headers);
  const count = async () => {
    const { rows } = await database().query(`select count(*)::int from agent.${kinds[kind].table} where organization_id = $1`, [
      organization.id,
    ]);
    return [rows[0].count, (await visit.events()).length];
  };
  return { ...visit, ticketNumber, path, submit, count };
}

const kinds = {
  contact: { path: '/leads', body: (name: string) => ({ name }), table: 'leads', event: 'lead.created' },
  form: {
    path: '/forms/returns/submissions',
    body: (order: string) => ({ values: { order } }),
    table: 'form_submissions',
    event: 'form.submitted',
  },
  reply: {
    path: '/tickets/:ticketNumber/replies',
    body: (text: string) => ({ text }),
    table: 'ticket_messages',
    event: 'ticket.status_changed',
  },
};
type Kind = keyof typeof kinds;

const once = (key: string = randomUUID()) => ({ 'idempotency-key': key });
const fault = (status: number, message: unknown) => ({ status, body: { success: false, message } });

describe.each(Object.keys(kinds) as Kind[])('a repeated %s of a visitor', (kind) => {
  test('with the same key gets the first answer, and writes one record and one event', async () => {
    const { submit, count } = await open(kind);
    const headers = once();
    const first = await submit(headers);
    expect(first.status).toBe(201);
    expect(await submit(headers)).toMatchObject({ status: 201, body: first.body });
    expect(await count()).toEqual([1, 1]);
    expect((await submit(once())).status).toBe(201);
    expect((await count())[0]).toBe(2);
  });

  test('at the same time writes once', async () => {
    const { submit, count } = await open(kind);
    const headers = once();
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(headers)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect([answers[0]!.status, await count()]).toEqual([201, [1, 1]]);
  });

  test('with another body is refused', async () => {
    const { submit, count } = await open(kind);
    const headers = once();
    await submit(headers);
    expect(await submit(headers, 'A-1002')).toMatchObject(fault(422, 'This Idempotency-Key was used with another body.'));
    expect(await count()).toEqual([1, 1]);
  });

  test('of a page that may not embed the agent is refused', async () => {
    const { submit } = await open(kind);
    const headers = once();
    await submit(headers);
    expect((await submit(headers, undefined, undefined, 'https://evil.example.com')).status).toBe(403);
  });

  test('is not that of another organization', async () => {
    const [own, other] = await Promise.all([open(kind), open(kind)]);
    const headers = once();
    const [first, second] = [await own.submit(headers), await other.submit(headers, undefined, own.visitorId)];
    expect(first.status).toBe(201);
    // The visitor has no ticket of the other organization.
    expect(second.status).toBe(kind === 'reply' ? 404 : 201);
    expect((await other.submit(headers)).status).toBe(201);
    expect([await own.count(), (await other.count())[0]]).toEqual([[1, 1], kind === 'reply' ? 1 : 2]);
  });

  test('is counted against the limits of the visitor', async () => {
    const { submit } = await open(kind);
    const headers = once();
    const answers = await Promise.all(Array.from({ length: 25 }, () => submit(headers)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]));
  });
});

describe.each(['contact', 'form'] as const)('the key of a %s', (kind) => {
  test('is that of one visitor', async () => {
    const { submit, count } = await open(kind);
    const headers = once();
    const [first, second] = [await submit(headers), await submit(headers, 'A-1002', randomUUID())];
    expect([first.status, second.status, await count()]).toEqual([201, 201, [2, 2]]);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('is that of one agent', async () => {
    const { submit, count, path, createAgent, graphql, visitorId } = await open(kind);
    const other = await createAgent('Sales desk');
    const update = 'mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }';
    await graphql(update, { id: other.id, input: { allowedOrigins: [origin] } });
    await graphql(CREATE_FORM, { a: other.id, input: FORM });
    const headers = once();
    const first = await submit(headers);
    const second = await caller(undefined).post(`/api/agents/${other.publicSlug}${path}`, kinds[kind].body('A-1002'), {
      origin,
      'x-visitor-id': visitorId,
      ...headers,
    });
    expect([first.status, second.status, await count()]).toEqual([201, 201, [2, 2]]);
  });

  test('needs the id of a visitor, because others cannot be told apart', async () => {
    const { submit, count } = await open(kind);
    expect(await submit(once(), undefined, null)).toMatchObject(fault(400, expect.stringContaining('needs the id of a visitor')));
    expect((await submit({}, undefined, null)).status).toBe(201);
    expect(await count()).toEqual([1, 1]);
  });

  test('runs again after a refusal', async () => {
    const { submit, count, graphql, agent } = await open(kind);
    const setPublic = (publicAccess: boolean) =>
      graphql('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', {
        id: agent.id,
        input: { publicAccess },
      });
    const headers = once();
    await setPublic(false);
    expect((await submit(headers)).status).toBe(404);
    await setPublic(true);
    expect((await submit(headers)).status).toBe(201);
    expect(await count()).toEqual([1, 1]);
  });
});

test('a repeated reply of a visitor gets the first answer after the team replied', async () => {
  const { submit, graphql, visit } = await open('reply');
  const headers = once();
  const first = await submit(headers);
  expect(first.body.messages).toMatchObject([{ isFromTeam: false, text: 'A-1001' }]);
  const { tickets } = await graphql('{ tickets { id } }');
  await graphql('mutation ($id: ID!) { replyToTicket(id: $id, text: "Thanks") { id } }', { id: tickets[0].id });
  expect((await submit(headers)).body).toEqual(first.body);
  expect((await visit('GET', '/tickets')).body.tickets[0].messages).toHaveLength(2);
});

test('a reply of a visitor to a ticket that is being merged is written once, to the other ticket', async () => {
  const { submit, raise, graphql } = await open('reply');
  const { tickets } = await graphql('{ tickets { id } }');
  const { id } = await raise();
  const headers = once();
  const first = await duringTransaction(
    (rival) => rival.query(`update agent.tickets set merged_into_id = $1 where id = $2`, [id, tickets[0].id]),
    () => submit(headers),
  );
  expect([first.status, (await submit(headers)).body]).toEqual([201, first.body]);
  const query = 'query ($id: ID!) { ticket(id: $id) { messages { nodes { text } } } }';
  expect((await graphql(query, { id })).ticket.messages.nodes).toEqual([{ text: 'A-1001' }]);
});

test('pages of other origins may send an Idempotency-Key to the endpoints of the widget', async () => {
  const { agent, path } = await open('contact');
  const { headers } = await caller(undefined).send('OPTIONS', `/api/agents/${agent.publicSlug}${path}`, undefined, {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type, idempotency-key, x-visitor-id',
  });
  expect(headers.get('access-control-allow-headers')!.split(', ')).toContain('idempotency-key');
});
