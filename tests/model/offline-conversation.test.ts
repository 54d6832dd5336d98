import { answerChat } from '../../start/offline-model/conversation/answer-chat.ts';
import type { OfferedTool, PromptMessage } from '../../start/offline-model/openai-protocol.ts';
import { RULES } from '../../subgraphs/agent/chat/chat-prompt.ts';

const text = { type: 'string' };
const tool = (name: string, description: string, properties: object, required = Object.keys(properties)): OfferedTool => ({
  name,
  description,
  parameters: { type: 'object', properties, required },
});
const ticket = { subject: text, description: text, requesterEmail: text, requesterName: text };
const tools = [
  tool('order_status', 'Look up where an order is, by its order number.', { orderNumber: text }),
  tool('search_products', 'Search the product catalog.', { query: text }),
  tool('read_product', 'Read the values of a product.', { sku: text }),
  tool('create_support_ticket', 'Raise a support ticket.', ticket, ['subject', 'description', 'requesterEmail']),
];
const PASSAGE = '<passage number="1" heading="Returns">\nYou can return goods within 30 days. Bring the box.\n</passage>';
const system = { role: 'system', text: `${RULES}\n${PASSAGE}` };
const user = (content: string): PromptMessage => ({ role: 'user', text: content });
const answer = (...messages: PromptMessage[]) => answerChat([system, ...messages], tools);
/** The answer after a tool returned a result. */
const after = (question: string, name: string, result: unknown) =>
  answer(
    user(question),
    { role: 'assistant', text: '', calls: [{ id: 'c', name }] },
    { role: 'tool', text: JSON.stringify(result), callId: 'c' },
  );

test('a passage answers with its citation, and an unknown question gets no answer', () => {
  expect(answer(user('How long can I return goods?'))).toEqual({ content: 'You can return goods within 30 days. [1]' });
  expect(answerChat([system, user('Who won the cup?')], [])).toEqual({ content: expect.stringMatching(/^\[no-answer\]/) });
});

test('a question about a product searches, reads the best product, and states its values with their evidence', () => {
  const question = 'How heavy is the TV-JS18?';
  expect(answer(user(question))).toEqual({ call: { name: 'search_products', input: { query: question } } });
  const products = [
    { sku: 'TV-DD18', name: 'Torvik DD18 drill', citation: 2 },
    { sku: 'TV-JS18', name: 'Torvik JS18 jigsaw', citation: 3 },
  ];
  expect(after(question, 'search_products', { products })).toEqual({ call: { name: 'read_product', input: { sku: 'TV-JS18' } } });
  const weight = { attribute: 'Weight', value: 1.9, unit: 'kg', citation: 4, confidence: 95, snippet: 'Weight | 1.9 kg' };
  const read = { name: 'Torvik JS18 jigsaw', values: [{ attribute: 'Color', value: 'orange' }, weight] };
  expect(after(question, 'read_product', read)).toEqual({
    content: 'Torvik JS18 jigsaw: weight 1.9 kg [4]. The source says "Weight | 1.9 kg" [4] (confidence 95 %).',
  });
  expect(after('How tall is the TV-JS18?', 'read_product', read)).toEqual({ content: expect.stringMatching(/^\[no-answer\]/) });
  expect(after('Which Torvik tools do you sell?', 'search_products', { products })).toEqual({
    content: 'We have the Torvik DD18 drill (TV-DD18) [2]. We have the Torvik JS18 jigsaw (TV-JS18) [3].',
  });
  expect(after(question, 'search_products', { products: [] })).toEqual({ content: expect.stringMatching(/^\[no-answer\]/) });
});

test('a question calls the tool that it shares words and a code with', () => {
  const cancel = tool('cancel_order', 'Cancel an order of the signed-in customer, by its order number.', { orderNumber: text });
  const choose = (question: string) => answerChat([system, user(question)], [cancel, ...tools]);
  expect(choose('Where is my order 1042?')).toMatchObject({ call: { name: 'order_status' } });
  expect(choose('Please cancel my order 1043')).toEqual({ call: { name: 'cancel_order', input: { orderNumber: '1043' } } });
  expect(answer(user('Where is my order 1042?'))).toEqual({ call: { name: 'order_status', input: { orderNumber: '1042' } } });
  expect(after('Where is my order 1042?', 'order_status', { status: 'shipped' })).toEqual({
    content: 'The tool answered: status: shipped.',
  });
});

test('a wish for a person becomes a ticket, or a handoff where there is one', () => {
  const wish = user('I want to talk to a person.');
  const request = answer(wish) as { content: string };
  expect(request.content).toMatch(/^Please tell me your e-mail address/);
  const whole = 'I want to talk to a person. ada@example.com';
  const raise = {
    call: { name: 'create_support_ticket', input: { subject: whole, description: whole, requesterEmail: 'ada@example.com' } },
  };
  expect(answer(wish, { role: 'assistant', text: request.content }, user('ada@example.com'))).toEqual(raise);
  expect(after(whole, 'create_support_ticket', { ticketNumber: 'TKT-1' })).toEqual({
    content: 'I have raised the ticket TKT-1. A person will reply by e-mail.',
  });
  const handoff = tool('request_person', 'Ask a person to take over.', { reason: text });
  expect(answerChat([system, wish], [...tools, handoff])).toEqual({
    call: { name: 'request_person', input: { reason: wish.text } },
  });
});

test('a result that is marked as untrusted is read like another', () => {
  const marked: PromptMessage = { role: 'tool', text: '<untrusted>\n{"status":"shipped"}\n</untrusted>', callId: 'c' };
  const calls = [{ id: 'c', name: 'order_status' }];
  expect(answer(user('Where is order 1?'), { role: 'assistant', text: '', calls }, marked)).toEqual({
    content: 'The tool answered: status: shipped.',
  });
});

test('a failed tool is reported', () => {
  const failed: PromptMessage = { role: 'tool', text: 'Error: No connection.', callId: 'c' };
  expect(
    answer(user('Where is order 1?'), { role: 'assistant', text: '', calls: [{ id: 'c', name: 'order_status' }] }, failed),
  ).toEqual({
    content: 'That did not work: No connection.',
  });
});
