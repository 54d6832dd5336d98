import { startChatProvider } from '../../support/chat-provider.ts';
import { bodiesOf } from '../../support/deliveries.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { ORIGIN, type Part, question, seedAgent, send } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

const acme = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
const ticket = { subject: 'Broken lamp', description: 'It arrived broken.', requesterEmail: 'ada@example.com', priority: 'high' };

/** A conversation in which the model raises a ticket with this input. */
function raise(text: string, input: unknown, conversation: { conversationId?: string; visitorId?: string } = {}) {
  provider.on(text, (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text('Done.').finish();
    else response.call(0, 'c1', 'create_support_ticket', JSON.stringify(input)).finish('tool_calls');
  });
  const headers = { origin: ORIGIN, ...(conversation.visitorId && { 'x-visitor-id': conversation.visitorId }) };
  return send(acme.widgetPath, { ...question(text), conversationId: conversation.conversationId }, headers);
}
const outputOf = (parts: Part[]) => parts.find(({ type }) => type.startsWith('tool-output'));
const tickets = async () => (await acme.admin.get('/api/v1/tickets')).body.tickets;

test('the model raises a ticket for the visitor, with its event', async () => {
  await acme.admin.post('/api/v1/webhooks', { event: 'ticket.created', targetUrl: 'https://hooks.example.com/' });
  const { parts, conversationId } = await raise('my lamp is broken', ticket);
  expect(outputOf(parts)).toEqual({
    type: 'tool-output-available',
    toolCallId: '1-c1',
    output: { ticketNumber: 'TKT-1001' },
  });
  expect(await tickets()).toMatchObject([
    { ...ticket, ticketNumber: 'TKT-1001', source: 'ai_escalation', status: 'new', conversationId },
  ]);
  const emitted = await bodiesOf(database(), 'd.organization_id = $1', [acme.id]);
  expect(emitted.map(({ data }) => data.ticketNumber)).toEqual(['TKT-1001']);
});

test('input that is not a ticket is an error that the model sees, and the reply continues', async () => {
  const before = await tickets();
  for (const input of [
    {},
    { subject: 7 },
    { subject: 'nul \0', description: null, requesterEmail: 'a b' },
    { ...ticket, requesterEmail: 'nobody' },
  ]) {
    const { parts } = await raise(`broken ${JSON.stringify(input)}`, input);
    expect(outputOf(parts)).toMatchObject({
      type: 'tool-output-error',
      errorText: expect.stringMatching(/is required|e-mail address/),
    });
    expect(parts.at(-1)).toMatchObject({ type: 'finish' });
  }
  expect(await tickets()).toEqual(before);
});

test('a conversation gets at most three tickets', async () => {
  const conversation = await raise('many problems 1', ticket);
  for (const nth of [2, 3]) await raise(`many problems ${nth}`, ticket, conversation);
  const { parts } = await raise('many problems 4', ticket, conversation);
  expect(outputOf(parts)).toMatchObject({
    type: 'tool-output-error',
    errorText: expect.stringContaining('several tickets already'),
  });
  const own = (await tickets()).filter((each: { conversationId: string }) => each.conversationId === conversation.conversationId);
  expect(own).toHaveLength(3);
});

test('without the Helpdesk module the model has no such tool', async () => {
  const other = await seedAgent(gateway.url);
  provider.on('a plain question', (response) => response.text('A plain answer.').finish());
  await send(other.widgetPath, question('a plain question'), { origin: ORIGIN });
  expect(provider.requests('a plain question')[0]!.tools).toBeUndefined();
});
