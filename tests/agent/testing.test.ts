import { randomBytes, randomUUID } from 'node:crypto';
import { languageOf } from '../../subgraphs/agent/language.ts';
import { startNightlyRuns } from '../../subgraphs/agent/test-runs/nightly.ts';
import * as engine from '../../subgraphs/agent/test-runs/repeats.ts';
import { type Check, type Recorded, verdict } from '../../subgraphs/agent/testing/checks.ts';
import { redactor } from '../../subgraphs/agent/testing/from-reply.ts';
import { nightAfterRun } from '../../subgraphs/agent/testing/service.ts';
import { resultIn } from '../support/chat-provider.ts';
import { bodiesOf } from '../support/deliveries.ts';
import { ERASE, erased } from './erasing.ts';
import { ADD_CASE, openTests } from './open-tests.ts';

const tests = await openTests();
afterAll(() => tests.close());
const { provider, model, graph, own, admin, start, work, runOf, organization: acme, requireTests, refusalOf } = tests;
const { createAgent, change, createSet, addCase, openDraft, addTool, play: test1 } = tests;
const { pool } = graph.services;
const PUBLISH =
  'mutation ($id: ID!, $override: String) { publishAgentDraft(id: $id, note: "", overwrite: false, override: $override) { number published overrideReason } }';

const check = (given: Partial<Check>): Check => ({
  kind: 'states',
  text: null,
  number: null,
  unit: null,
  tool: null,
  arguments: null,
  ...given,
});
const recorded = (reply: string, more: object = {}): Recorded => ({
  turns: [{ question: 'Q', reply, calls: [], sources: [], declined: false, durationMs: 900, firstTextMs: 100, ...more }],
  credits: 2,
});
const holds = (given: Partial<Check>, reply: string, more: object = {}) =>
  verdict([check(given)], recorded(reply, more))[0]!.passed;

test.each<[Partial<Check>, string, boolean]>([
  [{ text: 'two years' }, 'The warranty is TWO years.', true],
  [{ text: 'two years' }, 'It lasts for two yearsish.', false],
  [{ text: '24 months\ntwo years' }, 'Two years, of course.', true],
  [{ text: '两年' }, '保修期为两年。', true],
  [{ number: 24, unit: 'months' }, 'Die Garantie beträgt 24 months.', true],
  [{ number: 24, unit: 'Monat' }, 'Die Garantie beträgt 24 Monate.', true],
  [{ number: 24, unit: 'months' }, 'The warranty is 24 weeks.', false],
  [{ number: 24 }, 'It has 240 parts.', false],
  [{ number: 1299.5, unit: 'EUR' }, 'Der Preis ist 1.299,50 €.', true],
  [{ number: 1299.5, unit: '€' }, 'The price is EUR 1,299.50 now.', true],
  [{ number: 5, unit: 'mW' }, 'It uses 5 MW.', false],
  [{ number: -20, unit: '°C' }, 'Down to −20 °C.', true],
  [{ kind: 'omits', text: 'discount' }, 'There is no discount.', false],
  [{ kind: 'omits', text: 'discount' }, 'Sorry.', true],
  [{ kind: 'language', text: 'de' }, 'Die Lieferung ist in zwei Tagen bei Ihnen.', true],
  [{ kind: 'language', text: 'de' }, 'The delivery is with you in two days.', false],
  [{ kind: 'seconds', number: 1 }, 'Yes.', true],
  [{ kind: 'seconds', number: 0.5 }, 'Yes.', false],
  [{ kind: 'credits', number: 1 }, 'Yes.', false],
])('the check %j of the reply %j is %s', (given, reply, expected) => expect(holds(given, reply)).toBe(expected));

test('checks look at sources, calls and refusals', () => {
  const call = {
    tool: 'cancel',
    arguments: { order: { id: 7, reason: 'late' }, tags: ['a'] },
    answer: 'approval',
    output: null,
    error: null,
  };
  const more = { sources: [{ title: 'Returns', url: 'https://shop.example/returns/' }], calls: [call] };
  const passes = (given: Partial<Check>) => holds(given, 'Done.', more);
  expect(passes({ kind: 'cites', text: 'http://shop.example/returns#days' })).toBe(true);
  expect(passes({ kind: 'cites', text: 'return' })).toBe(true);
  expect(passes({ kind: 'cites', text: 'Shipping' })).toBe(false);
  expect(passes({ kind: 'calls', tool: 'cancel', arguments: { order: { id: 7 } } })).toBe(true);
  expect(passes({ kind: 'calls', tool: 'cancel', arguments: { order: { id: 8 } } })).toBe(false);
  expect(passes({ kind: 'not_calls', tool: 'refund' })).toBe(true);
  expect(passes({ kind: 'not_calls' })).toBe(false);
  expect(passes({ kind: 'asks_approval', tool: 'cancel' })).toBe(true);
  expect(passes({ kind: 'hands_over' })).toBe(false);
  // A chat does not send a refused call.
  const refused = ['cancel', 'create_support_ticket', 'request_person'].map((tool) => ({ ...call, tool, answer: 'refused' }));
  for (const given of [{ kind: 'calls', tool: 'cancel' }, { kind: 'hands_over' }] as const)
    expect(holds(given, 'Done.', { calls: refused })).toBe(false);
  expect([
    holds({ kind: 'declines' }, 'No idea.', { declined: true }),
    holds({ kind: 'answers' }, 'No idea.', { declined: true }),
  ]).toEqual([true, false]);
});

test.each([
  ['en', 'Where is the manual that you have for this lamp?'],
  ['fr', 'Nous vous envoyons le colis dans les deux jours.'],
  ['es', 'El paquete llega en dos días, pero no los domingos.'],
  ['ja', '配送は二日かかります。'],
  ['ru', 'Доставка на дом не входит в цену, но это можно заказать.'],
  [null, '1234'],
])('the language %s is recognized', (language, text) => expect(languageOf(text)).toBe(language));

test('personal data is replaced the same way everywhere, and other text stays', () => {
  const redact = redactor({ name: 'Ada Lovelace' });
  const before = [
    'I am Ada Lovelace, ada@acme.com, +49 170 1234567. Card 4111 1111 1111 1111.',
    { order: 12345678, mail: 'ADA@acme.com', day: '2026-11-26' },
  ];
  const after = redact(before) as [string, { order: number; mail: string; day: string }];
  const text = JSON.stringify(after);
  for (const secret of ['Lovelace', 'Ada', 'acme', '1234567', '4111']) expect(text).not.toContain(secret);
  expect(after[0]).toMatch(/^I am Alex Example, visitor-\d@example\.com, \+\d\d \d{3} \d{7}\. Card \d{4} \d{4} \d{4} \d{4}\.$/);
  expect([after[0].includes(after[1].mail), after[1].day]).toEqual([true, '2026-11-26']);
  expect(redact({ 'ada@acme.com': 1 })).toEqual({ [after[1].mail]: 1 });
  expect(redact(`<mailto:${'x'.repeat(100)}@acme.com>`)).toMatch(/^<mailto:visitor-\d@example\.com>$/);
  const harmless = 'From 2026-11-26 21:05 to 26.11.2026 9:30 for 199.99 249.99 or 2026-11-26T21:05:00.';
  expect(redact(harmless)).toBe(harmless);
  expect(redact('Card 41111111 1111 11:05')).not.toContain('4111');
  for (const each of ['ada＠acme.com', 'https://x.example/?mail=ada.l%40acme.com', '٠١٧٠ ١٢٣٤٥٦٧', '０１７０１２３４５６７']) {
    const [before = '', after = ''] = [each, redact(each)].map((text) => text.normalize('NFKC'));
    expect(after).not.toBe(before);
    expect(after).not.toMatch(/acme|٧|4567/);
  }
  expect(redact('DE89370400440532013000')).toBe(redact('DE89 3704 0044 0532 0130 00'));
  expect(redact('The lamp LX-2000 has 4500 lumen for 24 months.')).toBe('The lamp LX-2000 has 4500 lumen for 24 months.');
});

test('cases are validated, changed and deleted, and each change is a new revision', async () => {
  const agentId = await createAgent();
  const set = await createSet(agentId, { nightly: true });
  const id = await addCase(set, {
    name: 'Warranty',
    messages: ['How long?'],
    checks: [{ kind: 'states', number: 24, unit: 'months' }],
  });
  const refused = (checks: object[]) => admin.refusal(ADD_CASE, { set, input: { name: 'X', messages: ['Hi'], checks } });
  expect(await refused([{ kind: 'calls' }])).toBe('INVALID_INPUT: checks[0].tool is required for the kind calls');
  expect(await refused([{ kind: 'answers', text: 'x' }])).toBe(
    'INVALID_INPUT: checks[0].text must not be set for the kind answers',
  );
  expect(await refused([{ kind: 'states' }])).toBe('INVALID_INPUT: checks[0] must have either text or number for the kind states');
  expect(await refused([{ kind: 'language', text: 'klingon' }])).toMatch(/^INVALID_INPUT: checks\[0\].text must be one of/);
  expect(await refused([])).toBe('INVALID_INPUT: checks must have at least 1 entry');
  await admin.ask('mutation ($id: ID!, $input: TestCaseChange!) { updateTestCase(id: $id, input: $input) { id } }', {
    id,
    input: { recordings: [{ tool: 'stock', output: { left: 3 } }] },
  });
  const bytes = async () =>
    Number((await pool.query(`select sum(bytes) as n from identity.stored_bytes where list = 'agent.test_cases'`)).rows[0].n);
  const stored = await bytes();
  const UPDATE = 'mutation ($id: ID!, $input: TestCaseChange!) { updateTestCase(id: $id, input: $input) { id } }';
  await admin.ask(UPDATE, { id, input: { identity: { subject: 'u1', claims: { notes: randomBytes(4_000).toString('hex') } } } });
  expect((await bytes()) - stored).toBeGreaterThan(8_000);
  const state = await admin.ask(
    `query ($set: ID!, $agentId: ID!) { testCases(testSetId: $set, page: 1, limit: 10) { nodes { name messages origin checks { kind number unit text } recordings { tool arguments output error } } }
       testSets(agentId: $agentId) { name nightly revision caseCount nextRunAt lastRun { id } } }`,
    { set, agentId },
  );
  expect(state.testCases.nodes).toEqual([
    {
      name: 'Warranty',
      messages: ['How long?'],
      origin: 'manual',
      checks: [{ kind: 'states', number: 24, unit: 'months', text: null }],
      recordings: [{ tool: 'stock', arguments: null, output: { left: 3 }, error: null }],
    },
  ]);
  expect(state.testSets).toEqual([
    { name: 'Basics', nightly: true, revision: 4, caseCount: 1, nextRunAt: expect.any(String), lastRun: null },
  ]);
  const removal = 'mutation ($set: ID!, $ids: [ID!]!) { deleteTestCases(testSetId: $set, ids: $ids) }';
  const revision = async () => (await pool.query('select revision from agent.test_sets where id = $1', [set])).rows[0].revision;
  expect((await admin.ask(removal, { set, ids: [] })).deleteTestCases).toBe(0);
  expect(await admin.refusal(removal, { set, ids: [randomUUID()] })).toBe('NOT_FOUND: Test case not found');
  expect(await admin.refusal(removal, { set, ids: Array(501).fill(id) })).toBe('INVALID_INPUT: ids must have at most 500 entries');
  await admin.ask('mutation ($set: ID!) { importTestCases(testSetId: $set, format: json, text: "[7]") { added } }', { set });
  expect(await revision()).toBe(4);
  expect((await admin.ask(removal, { set, ids: [id] })).deleteTestCases).toBe(1);
  const other = await createSet(agentId, { name: 'Other' });
  await addCase(other, { name: 'Hi', messages: ['Hi'] });
  await admin.ask('mutation ($id: ID!, $input: TestSetChange!) { updateTestSet(id: $id, input: $input) { id } }', {
    id: other,
    input: { nightly: true },
  });
  await admin.ask('mutation ($id: ID!) { deleteTestSet(id: $id) { deleted } }', { id: other });
  const { rows: entries } = await pool.query(
    `select subject, subject_id, action, fields, user_id is not null as "isOfUser" from identity.audit_entries
      where subject = 'test_case' or subject_id = $1 order by created_at, subject`,
    [other],
  );
  const isOfUser = true;
  expect(entries).toEqual([
    { subject: 'test_case', subject_id: id, action: 'updated', fields: ['recordings'], isOfUser },
    { subject: 'test_case', subject_id: id, action: 'updated', fields: ['identity'], isOfUser },
    { subject: 'test_case', subject_id: id, action: 'deleted', fields: [], isOfUser },
    { subject: 'test_set', subject_id: other, action: 'created', fields: [], isOfUser },
    { subject: 'test_set', subject_id: other, action: 'updated', fields: ['nightly'], isOfUser },
    { subject: 'test_set', subject_id: other, action: 'deleted', fields: [], isOfUser },
  ]);
  expect(
    await admin.refusal(
      'mutation ($agentId: ID!, $input: NewTestSet!) { createTestSet(agentId: $agentId, input: $input) { id } }',
      { agentId, input: { name: 'Basics', nightly: false } },
    ),
  ).toBe('CONFLICT: A test set with the name Basics already exists.');
});

test('files become cases, and rows with faults are refused with the reason', async () => {
  const set = await createSet(await createAgent());
  const read = async (format: string, text: string) =>
    (
      await admin.ask(
        'mutation ($set: ID!, $format: TestFileFormat!, $text: String!) { importTestCases(testSetId: $set, format: $format, text: $text) { added refused { row reason } } }',
        { set, format, text },
      )
    ).importTestCases;
  const csv =
    'name,message,states,calls,answers\nA,"Hi\nHow long?",24 months,"stock {""sku"": ""L1""}",yes\nB,Hello,,,\nC,Hello,,stock {,\n';
  const imported = await read('csv', csv);
  expect(imported.added).toBe(1);
  expect(imported.refused).toEqual([
    { row: 2, reason: 'checks must have at least 1 entry' },
    { row: 3, reason: expect.stringContaining('JSON') },
  ]);
  const { rows } = await pool.query('select name, messages, checks, origin from agent.test_cases where test_set_id = $1', [set]);
  expect(rows[0]).toMatchObject({ name: 'A', messages: ['Hi', 'How long?'], origin: 'file' });
  expect(rows[0].checks.map(({ kind, number, unit, tool, arguments: given }: Check) => [kind, number, unit, tool, given])).toEqual([
    ['states', 24, 'months', null, null],
    ['calls', null, null, 'stock', { sku: 'L1' }],
    ['answers', null, null, null, null],
  ]);
  const json = [
    { name: 'D', messages: ['Hi'], checks: [{ kind: 'answers' }] },
    { name: 'E', messages: 'Hi' },
    7,
    { __proto__: null, name: 'F'.repeat(300), messages: ['x'], checks: [{ kind: 'answers' }] },
  ];
  expect(await read('json', JSON.stringify(json))).toMatchObject({ added: 1, refused: [{ row: 2 }, { row: 3 }, { row: 4 }] });
  const row = (output: string) =>
    `{"name": "G", "messages": ["Hi"], "checks": [{"kind": "answers"}], "recordings": [{"tool": "x", "output": ${output}}]}`;
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
  const unsafe = [row('"\\u0000"'), row('{"\\ud800": 1}'), row('12345678901234567890'), row(deep)];
  expect(await read('json', `[${[row('1'), ...unsafe].join()}]`)).toEqual({
    added: 1,
    refused: [
      { row: 2, reason: expect.stringContaining('NUL') },
      { row: 3, reason: expect.stringContaining('Unicode') },
      { row: 4, reason: expect.stringContaining('whole numbers') },
      { row: 5, reason: expect.stringContaining('nested') },
    ],
  });
});

/** The data or the error, as text. */
const settled = (text: string, variables: Record<string, unknown>): Promise<string> =>
  admin.ask(text, variables).then((data) => JSON.stringify(data), String);

test('a file with far too many rows, lines or entries is refused while others are served', async () => {
  const set = await createSet(await createAgent());
  const many = (text: string, count: number) => text.repeat(count);
  const files: [string, string, RegExp][] = [
    ['csv', `name,message,states\nx,y,"${many('z\n', 450_000)}"`, /at most 100 lines/],
    ['csv', `name,message,states\nx,"${many('z\n', 450_000)}",y`, /at most 100 lines/],
    ['csv', `name,message,calls\nx,y,"${many('t {}\n', 180_000)}"`, /at most 100 lines/],
    ['csv', `name,message,states\n${many('a,b,c\n', 160_000)}`, /at most 500 cases/],
    ['json', `[{"name":"x","messages":["a"],"checks":[${many('{},', 300_000)}{}]}]`, /checks must have at most 50 entries/],
    ['json', `[{"name":"x","checks":[],"messages":[${many('1,', 450_000)}1]}]`, /messages must have at most 10 entries/],
  ];
  for (const [format, text, reason] of files) {
    let worst = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      worst = Math.max(worst, performance.now() - last);
      last = performance.now();
    }, 5);
    const response = await settled(
      'mutation ($set: ID!, $format: TestFileFormat!, $text: String!) { importTestCases(testSetId: $set, format: $format, text: $text) { added refused { reason } } }',
      { set, format, text },
    );
    clearInterval(timer);
    expect(response).toMatch(reason);
    // It was seven seconds for the first of them.
    expect(worst).toBeLessThan(1_500);
  }
});

test('concurrent requests create at most 50 test sets', async () => {
  const agentId = await createAgent();
  const create = (name: string) =>
    settled(
      'mutation ($agentId: ID!, $name: String!) { createTestSet(agentId: $agentId, input: { name: $name, nightly: false }) { id } }',
      {
        agentId,
        name,
      },
    );
  await Promise.all(Array.from({ length: 45 }, (_, at) => create(`Set ${at}`)));
  await Promise.all(Array.from({ length: 20 }, (_, at) => create(`More ${at}`)));
  const { rows } = await pool.query('select count(*)::int as n from agent.test_sets where agent_id = $1', [agentId]);
  expect(rows[0].n).toBe(50);
});

test('a reply becomes a case with the results of its tools and without personal data', async () => {
  const agentId = await createAgent();
  await addTool(agentId, { name: 'order' });
  await addTool(agentId, { name: 'customer', data: 'personal' });
  const set = await createSet(agentId);
  const insert = async (text: string, values: unknown[]) => (await pool.query(text, values)).rows[0].id;
  const contact = await insert(
    `insert into agent.contacts (id, organization_id, email, name, created_at, updated_at) values (gen_random_uuid(), $1, 'ada@acme.com', 'Ada Lovelace', now(), now()) returning id`,
    [acme.id],
  );
  const conversation = await insert(
    `insert into agent.conversations (id, organization_id, agent_id, contact_id, visitor_id, channel, status) values (gen_random_uuid(), $1, $2, $3, 'v', 'widget', 'open') returning id`,
    [acme.id, agentId, contact],
  );
  const parts = [
    {
      type: 'tool-order',
      toolCallId: '1',
      state: 'output-available',
      input: { email: 'ada@acme.com' },
      output: { status: 'sent', to: 'Ada Lovelace' },
    },
  ];
  const message = (position: number, role: string, text: string, more: unknown[] = []) =>
    insert(
      `insert into agent.messages (id, organization_id, conversation_id, position, role, text, status, parts, rating) values (gen_random_uuid(), $1, $2, $3, $4, $5, 'complete', $6, $7) returning id`,
      [acme.id, conversation, position, role, text, JSON.stringify(more), role === 'assistant' ? 'down' : null],
    );
  await message(1, 'user', 'Where is the order of ada@acme.com?');
  const reply = await message(2, 'assistant', 'I cannot say.', parts);
  const create = `mutation ($set: ID!, $reply: ID!, $answer: String) { createTestCaseFromReply(testSetId: $set, messageId: $reply, answer: $answer) {
    messages origin messageId expectation checks { kind number unit text } recordings { tool arguments output } } }`;
  const { createTestCaseFromReply: made } = await admin.ask(create, { set, reply, answer: 'It arrives in 2 days, Ada.' });
  expect(made).toEqual({
    messages: ['Where is the order of visitor-1@example.com?'],
    origin: 'rating',
    messageId: reply,
    expectation: 'It arrives in 2 days, Alex.',
    checks: [
      { kind: 'answers', number: null, unit: null, text: null },
      { kind: 'language', number: null, unit: null, text: 'en' },
      { kind: 'states', number: 2, unit: 'days', text: null },
    ],
    recordings: [{ tool: 'order', arguments: { email: 'visitor-1@example.com' }, output: { status: 'sent', to: 'Alex Example' } }],
  });
  const checksOf = async (answer: string) =>
    (await admin.ask(create, { set, reply, answer })).createTestCaseFromReply.checks
      .filter(({ kind }: Check) => kind === 'states')
      .map(({ number, unit, text }: Check) => text ?? [number, unit]);
  // Each check holds for the answer that it was made from.
  expect(
    await checksOf(
      'It costs 1.299,50 EUR until 27.11.2026, 9:30. Write to ada@acme.com or +49 170 1234567 about 5 and 1,200,000 lumen.',
    ),
  ).toEqual([
    [1299.5, 'EUR'],
    [5, null],
    [1_200_000, 'lumen'],
  ]);
  expect(await checksOf('Es kostet 1’299.50 CHF oder 2.400 Punkte und dauert 3 oder 4 Tage (2026-11-27).')).toEqual([
    [1299.5, 'CHF'],
    '2.400',
    [3, null],
    [4, 'Tage'],
  ]);
  const output = {
    name: 'Grace',
    orders: [{ city: 'Oslo', total: 9.5, paid: true, note: null }, { city: 'Rome' }],
    'ada@acme.com': 'x',
  };
  const call = { toolCallId: '2', state: 'output-available', input: { id: 'a' }, output };
  await message(3, 'user', 'And who am I?');
  const personal = await message(4, 'assistant', 'You are Grace.', [
    { ...call, type: 'tool-customer' },
    { ...call, type: 'tool-deleted', output: 'Grace of Oslo' },
    { ...call, type: 'tool-search_products', output: { products: [{ name: 'L1' }] } },
  ]);
  const shaped = (await admin.ask(create, { set, reply: personal, answer: null })).createTestCaseFromReply;
  const shape = { name: 'text', orders: [{ city: 'text', total: 0, paid: false, note: null }], 'visitor-1@example.com': 'text' };
  expect(shaped.recordings.map(({ tool, output }: { tool: string; output: unknown }) => [tool, output])).toEqual([
    ['search_products', { products: [{ name: 'L1' }] }],
    ['deleted', 'text'],
    ['customer', shape],
    ['order', { status: 'sent', to: 'Alex Example' }],
  ]);
  const elsewhere = await createSet(await createAgent());
  expect(await admin.refusal(create, { set: elsewhere, reply, answer: null })).toBe('NOT_FOUND: Reply not found');
  // The contact is erased with the cases, and their copies in runs.
  await addCase(set, { name: 'Own', messages: ['Hello'] });
  await test1(set, { target: 'published' });
  await admin.ask(ERASE, { id: contact });
  await erased(admin.ask, contact);
  const names = await pool.query(
    `select name from agent.test_cases where test_set_id = $1
     union all select c.name from agent.test_run_cases c join agent.test_runs r on r.id = c.run_id where r.test_set_id = $1`,
    [set],
  );
  expect(names.rows).toEqual([{ name: 'Own' }, { name: 'Own' }]);
});

test('a simulated customer continues the messages of a case until it is content, and costs only the messages it wrote', async () => {
  const agentId = await createAgent();
  provider.on('Know the warranty', (response, { messages }) => {
    const { goal, manner, conversation } = JSON.parse(messages.at(-1)!.content!);
    expect([goal, manner]).toEqual(['Know the warranty', 'impatient']);
    const isContent = conversation.at(-1).text.includes('24 months');
    response.complete(JSON.stringify({ message: isContent ? '' : 'How long do I have the guarantee?', done: isContent }));
  });
  provider.on('I bought the L1', (response) => response.text('Congratulations!').finish());
  provider.on('the guarantee?', (response) => response.text('You have 24 months.').finish());
  const set = await createSet(agentId);
  const customer = { goal: 'Know the warranty', manner: 'impatient', maxMessages: 6 };
  const checks = [{ kind: 'states', number: 24, unit: 'months' }];
  await addCase(set, { name: 'Warranty', messages: ['I bought the L1'], customer, checks });
  await addCase(set, { name: 'Silent', messages: [], customer: { goal: 'Say nothing', maxMessages: 3 } });
  provider.on('Say nothing', (response) => response.complete('I am no JSON'));
  const run = await test1(set, { target: 'published' });
  const [warranty, silent] = run.cases.nodes;
  expect(warranty.results).toMatchObject([{ status: 'passed', credits: 4 }]);
  expect(warranty.results[0].turns.map((each: { question: string }) => each.question)).toEqual([
    'I bought the L1',
    'How long do I have the guarantee?',
  ]);
  expect(silent.results).toMatchObject([{ status: 'error', error: 'The simulated customer wrote no message.', credits: 0 }]);
  // Each turn has a reply and may have a message of the customer, at 1 credit each.
  expect(run.credits).toBe(4);
});

test('a simulated customer stops at its most messages, and must be able to write', async () => {
  const agentId = await createAgent();
  provider.on('Haggle', (response) => response.complete('{"message": "Make it cheaper.", "done": false}'));
  const set = await createSet(agentId);
  await addCase(set, { name: 'Haggle', messages: [], customer: { goal: 'Haggle', maxMessages: 3 }, checks: [{ kind: 'answers' }] });
  const [haggle] = (await test1(set, { target: 'published' })).cases.nodes;
  expect(haggle.results).toMatchObject([{ status: 'passed', credits: 6 }]);
  expect(haggle.results[0].turns).toHaveLength(3);
  const add = (input: object) => admin.refusal(ADD_CASE, { set, input: { name: 'X', checks: [{ kind: 'answers' }], ...input } });
  expect(await add({ messages: [] })).toBe('INVALID_INPUT: messages must have at least 1 item, or the case a customer');
  expect(await add({ messages: ['a', 'b'], customer: { goal: 'x', maxMessages: 2 } })).toBe(
    'INVALID_INPUT: customer.maxMessages must be larger than the number of messages',
  );
  expect(await add({ messages: [], customer: { goal: 'x', maxMessages: 11 } })).toMatch(/maxMessages/);
  const text = JSON.stringify([
    { name: 'File', customer: { goal: 'Haggle' }, checks: [{ kind: 'answers' }] },
    { name: 'Bad', customer: { goal: 'Haggle', maxMessages: 1.5 }, checks: [{ kind: 'answers' }] },
  ]);
  const IMPORT = `mutation ($set: ID!, $text: String!) { made: importTestCases(testSetId: $set, format: json, text: $text) { added refused { reason } } }`;
  expect((await admin.ask(IMPORT, { set, text })).made).toEqual({
    added: 1,
    refused: [{ reason: 'maxMessages must be a whole number' }],
  });
});

test('a run plays the draft beside the published version, sends nothing, and leaves no trace among the conversations', async () => {
  const agentId = await createAgent();
  await addTool(agentId, { name: 'stock', method: 'GET' });
  await addTool(agentId, { name: 'cancel', approval: 'visitor' });
  await addTool(agentId, { name: 'note', approval: 'none', confirmUnprotected: 'note' });
  const draft = await openDraft(agentId);
  await change(draft, { systemPrompt: 'Be brief.' });
  provider.on('"expected"', (response) => response.complete('{"agrees": false, "reason": "It names no day."}'));
  provider.on('stock of L1', (response, { messages }) => {
    const result = messages.at(-1)!;
    if (result.role !== 'tool') return response.call(0, 'c1', 'stock', '{"sku": "L1"}').finish('tool_calls');
    response.text(`There are ${JSON.parse(resultIn(result)).left} pieces left.`).finish();
  });
  provider.on('cancel it', (response) => response.text('I ask.').call(0, 'c2', 'cancel', '{}').finish('tool_calls'));
  provider.on('note it', (response, { messages }) =>
    messages.at(-1)!.role === 'tool'
      ? response.text('Noted.').finish()
      : response.call(0, 'c3', 'note', '{"text": "x"}').finish('tool_calls'),
  );
  provider.on('brief', (response, { messages }) =>
    response.text(messages[0]!.content!.includes('Be brief.') ? 'Yes.' : 'Well, yes, I think so.').finish(),
  );
  const set = await createSet(agentId);
  await addCase(set, {
    name: 'Stock',
    messages: ['Hello', 'What is the stock of L1?'],
    checks: [
      { kind: 'states', number: 3, unit: 'pieces' },
      { kind: 'calls', tool: 'stock', arguments: { sku: 'L1' } },
    ],
    recordings: [{ tool: 'stock', arguments: { sku: 'L1' }, output: { left: 3 } }],
  });
  await addCase(set, { name: 'Cancel', messages: ['Please cancel it'], checks: [{ kind: 'asks_approval', tool: 'cancel' }] });
  await addCase(set, { name: 'Note', messages: ['Please note it'], expectation: 'On Monday.' });
  await addCase(set, { name: 'Brief', messages: ['Are you brief?'], checks: [{ kind: 'omits', text: 'I think' }] });
  const credits = async () =>
    Number((await pool.query('select credits from identity.organizations where id = $1', [acme.id])).rows[0].credits);
  const before = await credits();
  const run = await test1(set, { repeats: 2 });
  expect(run).toMatchObject({
    status: 'completed',
    total: 16,
    finished: 16,
    share: 1,
    regressions: 0,
    draft: { always: 4, sometimes: 0, never: 0 },
    published: { always: 3, sometimes: 0, never: 1 },
  });
  const [stock, cancel, note, brief] = run.cases.nodes;
  expect(
    stock.results.map(({ target, repeat, status }: { target: string; repeat: number; status: string }) => [target, repeat, status]),
  ).toEqual([
    ['draft', 1, 'passed'],
    ['draft', 2, 'passed'],
    ['published', 1, 'passed'],
    ['published', 2, 'passed'],
  ]);
  expect(stock.results[0].turns).toMatchObject([
    { question: 'Hello', reply: 'Echo: Hello' },
    {
      reply: 'There are 3 pieces left.',
      calls: [{ tool: 'stock', arguments: { sku: 'L1' }, answer: 'recording', output: { left: 3 } }],
    },
  ]);
  expect(cancel.results[0].turns[0].calls).toMatchObject([{ tool: 'cancel', answer: 'approval', output: null }]);
  expect(note.results[0]).toMatchObject({ status: 'passed', judgment: { agrees: false, reason: 'It names no day.' } });
  expect(note.results[0].turns[0].calls).toMatchObject([
    { answer: 'dry_run', output: { preview: true, sent: false, request: { method: 'POST' } } },
  ]);
  expect(brief).toMatchObject({ draft: 'always', published: 'never', regressed: false });
  expect(brief.results[2].checks).toEqual([{ check: { kind: 'omits' }, passed: false, reason: 'A reply states it.' }]);
  // Five replies and a judgment in each repeat.
  expect([run.credits, before - (await credits())]).toEqual([24, 24]);
  const { rows } = await pool.query(
    `select (select count(*)::int from agent.conversations where agent_id = any($1)) as conversations,
            (select count(*)::int from agent.tool_calls where agent_id = any($1)) as calls, (select count(*)::int from agent.approvals where agent_id = any($1)) as approvals,
            (select count(*)::int from agent.test_runs where draft_content is not null or published_content is not null) as contents`,
    [[agentId, draft]],
  );
  expect(rows[0]).toEqual({ conversations: 0, calls: 0, approvals: 0, contents: 0 });
});

test('flaky cases are shown as such, and a run ends at its limit of credits, or when it is stopped', async () => {
  const agentId = await createAgent();
  const set = await createSet(agentId);
  provider.on('coin', (response, _, times) => response.text(times % 2 ? 'heads' : 'tails').finish());
  await addCase(set, { name: 'Coin', messages: ['Throw a coin'], checks: [{ kind: 'states', text: 'heads' }] });
  const flaky = await test1(set, { target: 'published', repeats: 2 });
  const { nodes } = (
    await admin.ask(
      'query ($agentId: ID!) { testRuns(agentId: $agentId, page: 1, limit: 5) { nodes { id agent { id } version } } }',
      {
        agentId,
      },
    )
  ).testRuns;
  expect(nodes).toEqual([{ id: expect.any(String), agent: { id: agentId }, version: 1 }]);
  const report = async (format: string): Promise<string> =>
    (
      await admin.ask('query ($id: ID!, $format: TestReportFormat!) { testRunReport(id: $id, format: $format) }', {
        id: nodes[0].id,
        format,
      })
    ).testRunReport;
  expect(await report('junit')).toMatch(
    /<testsuite name="Basics" tests="1" failures="0" [^>]*>\n {2}<testcase [^>]*name="Coin"[^>]*><system-out>Flaky:\nRepeat 2\nstates: The reply does not state it\.\nReply: tails</,
  );
  expect(JSON.parse(await report('json'))).toMatchObject({
    status: 'completed',
    cases: [{ name: 'Coin', published: 'sometimes', credits: 2 }],
  });
  expect(flaky).toMatchObject({ share: 0, draft: null, regressions: null, published: { always: 0, sometimes: 1, never: 0 } });
  const limited = await test1(set, { target: 'published', repeats: 5, creditLimit: 2 });
  expect(limited).toMatchObject({
    status: 'failed',
    error: 'The run would cost more than its limit of 2 credits.',
    finished: 2,
    credits: 2,
    share: null,
  });
  const id = await start(set, { target: 'published', repeats: 3 });
  expect(
    await admin.refusal('mutation ($set: ID!) { startTestRun(testSetId: $set, input: { target: published, repeats: 1 }) { id } }', {
      set,
    }),
  ).toBe('CONFLICT: The test set is running already.');
  await admin.ask('mutation ($id: ID!) { stopTestRun(id: $id) { status } }', { id });
  await work(id);
  expect(await runOf(id)).toMatchObject({ status: 'stopped', finished: 0, credits: 0 });
  expect(
    await admin.refusal('mutation ($set: ID!) { startTestRun(testSetId: $set, input: { target: draft, repeats: 1 }) { id } }', {
      set,
    }),
  ).toBe('UNPROCESSABLE: The agent has no draft. Test the published version instead.');
});

test('a repeat whose process was killed is charged and counted once, and one that failed costs nothing', async () => {
  const set = await createSet(await createAgent());
  provider.on('again', (response, _, times) => (times <= 2 ? response.refuse(400) : response.text('Yes.').finish()));
  await addCase(set, { name: 'Again', messages: ['Once again'] });
  const id = await start(set, { target: 'published', repeats: 2 });
  const scope = () => own.scopeOf(acme.id);
  await engine.beginRun(scope(), id);
  const [first, second] = await engine.openResults(scope(), id, 0, 10);
  const run = (resultId: string) => engine.runResult({ ...scope(), model, signal: new AbortController().signal }, resultId);
  await expect(run(first!.resultId)).rejects.toThrow();
  await run(first!.resultId);
  await run(first!.resultId);
  expect(await engine.finishRun(scope(), id)).toBe(false);
  await pool.query(`update agent.test_results set status = 'processing', credits = 1 where id = $1`, [second!.resultId]);
  await pool.query('update agent.test_runs set credits = 2 where id = $1', [id]);
  for (const _ of [1, 2]) await engine.failResult(scope(), second!.resultId, 'The model provider could not answer.');
  for (const _ of [1, 2]) expect(await engine.finishRun(scope(), id)).toBe(true);
  expect(await runOf(id)).toMatchObject({
    status: 'completed',
    finished: 2,
    credits: 1,
    published: { always: 1, sometimes: 0, never: 0 },
  });
});

test('a repeat that cannot begin ends its run with an error, and costs nothing', async () => {
  const set = await createSet(await createAgent());
  await addCase(set, { name: 'Hi', messages: ['Hi'] });
  const id = await start(set, { target: 'published' });
  await engine.beginRun(own.scopeOf(acme.id), id);
  const [open] = await engine.openResults(own.scopeOf(acme.id), id, 0, 1);
  for (const _ of [1, 2]) await engine.failResult(own.scopeOf(acme.id), open!.resultId, 'The content cannot be read.');
  expect(await engine.finishRun(own.scopeOf(acme.id), id)).toBe(true);
  const run = await runOf(id);
  expect(run).toMatchObject({ status: 'completed', finished: 1, credits: 0, share: 0 });
  expect(run.cases.nodes[0].results).toMatchObject([{ status: 'error', error: 'The content cannot be read.', credits: 0 }]);
});

test('replies that were generated are paid, although a later one fails or the run is stopped', async () => {
  const set = await createSet(await createAgent());
  let running = '';
  provider.on('refuse it', (response) => response.refuse(400));
  provider.on('stop it', async (response) => {
    await admin.ask('mutation ($id: ID!) { stopTestRun(id: $id) { id } }', { id: running });
    response.text('Stopped.').finish();
  });
  await addCase(set, { name: 'Three', messages: ['One', 'Two', 'Now refuse it'], expectation: 'Three.' });
  const failing = await start(set, { target: 'published' });
  await engine.beginRun(own.scopeOf(acme.id), failing);
  const [{ resultId } = { resultId: '' }] = await engine.openResults(own.scopeOf(acme.id), failing, 0, 1);
  const scope = { ...own.scopeOf(acme.id), model, signal: new AbortController().signal };
  await expect(engine.runResult(scope, resultId)).rejects.toThrow();
  for (const _ of [1, 2]) await engine.failResult(own.scopeOf(acme.id), resultId, 'Refused.');
  await engine.finishRun(own.scopeOf(acme.id), failing);
  const failed = await runOf(failing);
  expect(failed).toMatchObject({ status: 'completed', credits: 2, share: 0 });
  expect(failed.cases.nodes[0].results[0]).toMatchObject({
    status: 'error',
    credits: 2,
    turns: [{ question: 'One' }, { question: 'Two' }],
  });
  const other = await createSet(await createAgent());
  await addCase(other, { name: 'Four', messages: ['One', 'Now stop it', 'Three', 'Four'], expectation: 'Four.' });
  running = await start(other, { target: 'published', repeats: 2 });
  await work(running);
  expect(await runOf(running)).toMatchObject({ status: 'stopped', credits: 2 });
  const spent = await pool.query(`select sum(amount)::float8 as spent from identity.credit_entries where reference = any($1)`, [
    [`test:${resultId}`, `test-refund:${resultId}`],
  ]);
  expect(spent.rows).toEqual([{ spent: -2 }]);
});

test('the contents of a run decide about links and calls, and long results are cut', async () => {
  const agentId = await createAgent({ requireApprovals: true });
  const tool = await addTool(agentId, { name: 'stock', method: 'GET', endpointUrl: 'http://shop.example/stock' });
  provider.on('Link, please', (response) => response.text('See http://shop.example/lamps now.').finish());
  provider.on('Read the stock', (response, { messages }) =>
    messages.at(-1)!.role === 'tool'
      ? response.text('Read.').finish()
      : response.call(0, 'same', 'stock', '{"sku": "L1"}').finish('tool_calls'),
  );
  provider.on('Misread the stock', (response, { messages }) =>
    messages.at(-1)!.role === 'tool'
      ? response.text('x'.repeat(30_000)).finish()
      : response.call(0, 'same', 'stock', '{"sku').finish('tool_calls'),
  );
  const set = await createSet(agentId);
  await addCase(set, {
    name: 'All',
    messages: ['Link, please', 'Read the stock', 'Misread the stock'],
    checks: [{ kind: 'states', text: 'y' }],
    recordings: [{ tool: 'stock', output: { text: 'z'.repeat(40_000) } }],
  });
  const id = await start(set, { target: 'published' });
  await admin.ask('mutation ($agentId: ID!, $id: ID!) { deleteTool(agentId: $agentId, id: $id) { id } }', { agentId, id: tool });
  await work(id);
  const [{ turns }] = (await runOf(id)).cases.nodes[0].results;
  expect(turns[0].reply).toBe('See http://shop.example/lamps now.');
  expect(turns.slice(1).map(({ calls }: { calls: { answer: string }[] }) => calls.map(({ answer }) => answer))).toEqual([
    ['recording'],
    ['refused'],
  ]);
  expect([turns[1].calls[0].output.length, turns[2].reply.length]).toEqual([4_001, 20_000]);
  const read = 'query ($id: ID!) { testRunReport(id: $id, format: json) }';
  const [shown] = JSON.parse((await admin.ask(read, { id })).testRunReport).cases;
  expect(shown.failures).toEqual([
    {
      repeat: 1,
      status: 'failed',
      error: null,
      reply: 'x'.repeat(1_000),
      checks: [{ check: { kind: 'states' }, passed: false, reason: 'The reply does not state it.' }],
    },
  ]);
});

test('a repeat that needs the catalog, and cannot reach it, ends with an error', async () => {
  const set = await createSet(await createAgent({ catalogAccess: true }));
  provider.on('Find lamps', (response, { messages }) =>
    messages.at(-1)!.role === 'tool'
      ? response.text('Found.').finish()
      : response.call(0, 'c', 'search_products', '{"query": "lamp"}').finish('tool_calls'),
  );
  await addCase(set, { name: 'Lamps', messages: ['Find lamps'], checks: [{ kind: 'calls', tool: 'search_products' }] });
  const outcome = async () => {
    const { cases, credits } = await test1(set, { target: 'published' });
    const [{ status, error }] = cases.nodes[0].results;
    return { status, error, credits };
  };
  const unreached = { status: 'error', error: 'The catalog cannot be reached from this worker.', credits: 0 };
  expect(await outcome()).toEqual(unreached);
  own.services.graph = { query: () => Promise.reject(new Error('No connection')) };
  expect(await outcome()).toEqual(unreached);
  own.services.graph = { query: <T>() => Promise.resolve({ products: [] } as T) };
  expect(await outcome()).toEqual({ status: 'passed', error: null, credits: 1 });
});

test('a gate refuses content that was not tested, or fails, and an owner can override it with a reason', async () => {
  const agentId = await createAgent();
  const set = await createSet(agentId);
  provider.on('kindness', (response, { messages }) =>
    response.text(messages[0]!.content!.includes('Be kind.') ? 'Gladly.' : 'No.').finish(),
  );
  await addCase(set, { name: 'Kind', messages: ['A question of kindness'], checks: [{ kind: 'states', text: 'gladly' }] });
  expect((await requireTests(agentId, { testSetId: set, share: 0.9 })).requireTestsToPublish.publishRequires).toEqual({
    testSetId: set,
    share: 0.9,
  });
  const draft = await openDraft(agentId);
  await change(draft, { systemPrompt: 'Be rude.' });
  const refusal = () => refusalOf(draft);
  expect(await refusal()).toBe('The test set "Basics" has not run with exactly this content. Run it with the draft first.');
  expect(await admin.refusal(PUBLISH, { id: draft })).toBe(`UNPROCESSABLE: Not published: ${await refusal()}`);
  expect(await test1(set, { repeats: 3 })).toMatchObject({ regressions: 1, share: 0 });
  expect(await refusal()).toBe('1 of the cases of "Basics" passed with the published version and fail now: Kind');
  // The same change as a direct one.
  const UPDATE = 'mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { version } }';
  const refused = await admin.refusal(UPDATE, { id: agentId, input: { systemPrompt: 'Be rude.' } });
  expect(refused).toBe(
    'UNPROCESSABLE: Not published: 1 of the cases of "Basics" passed with the published version and fail now: Kind',
  );
  await change(agentId, { dailyCreditLimit: 5 });
  expect(
    await admin.refusal('mutation ($agentId: ID!, $input: NewTool!) { createTool(agentId: $agentId, input: $input) { id } }', {
      agentId,
      input: { name: 'x', description: 'x', endpointUrl: 'http://127.0.0.1:9/' },
    }),
  ).toMatch(/^UNPROCESSABLE: Not published: The test set "Basics" has not run/);
  // A change that passes is a published version at once.
  await change(draft, { systemPrompt: 'Be kind. Be brief.' });
  expect(await test1(set, { repeats: 3 })).toMatchObject({ regressions: 0, share: 1 });
  expect(await refusal()).toBeNull();
  expect((await admin.ask(UPDATE, { id: agentId, input: { systemPrompt: 'Be kind. Be brief.' } })).updateAgent.version).toBe(2);
  await addCase(set, { name: 'Other', messages: ['Another question of kindness'] });
  expect(await refusal()).toBe('The test set "Basics" has changed since its last run with this content. Run it again.');
  const colleague = await graph.seed({ credits: 0 });
  await pool.query(`update identity.memberships set role = 'admin' where organization_id = $1`, [colleague.id]);
  await change(draft, { systemPrompt: 'Be rude.' });
  for (const override of ['', ' ', '\u200b', '…'])
    expect(await admin.refusal(PUBLISH.replace('overwrite: false', 'overwrite: true'), { id: draft, override })).toMatch(
      /^UNPROCESSABLE: Not published/,
    );
  const { publishAgentDraft: version } = await admin.ask(PUBLISH.replace('overwrite: false', 'overwrite: true'), {
    id: draft,
    override: 'The test is wrong.',
  });
  expect(version).toEqual({ number: 3, published: true, overrideReason: 'The test is wrong.' });
  const { rows } = await pool.query(
    `select changes from identity.audit_entries where subject_id = $1 and fields = '{publish_override}'`,
    [agentId],
  );
  expect(rows).toEqual([{ changes: { publish_override: [null, 'The test is wrong.'] } }]);
  await requireTests(agentId, null);
  await change(agentId, { systemPrompt: 'Free again.' });
});

/** A gated agent, which nobody has talked to, and its set of one case. The reply to the case is `answer.of` its instructions. */
async function gatedAgent(topic: string) {
  const answer = { of: (_: string): string => 'Gladly.' };
  provider.on(topic, (response, { messages }) => response.text(answer.of(messages[0]!.content!)).finish());
  const agentId = await createAgent();
  await addTool(agentId, { name: 'stock', method: 'GET' });
  const set = await createSet(agentId);
  await addCase(set, { name: 'Kind', messages: [`A question of ${topic}`], checks: [{ kind: 'states', text: 'gladly' }] });
  const { requireTestsToPublish } = await requireTests(agentId, { testSetId: set, share: 0.9 });
  expect(requireTestsToPublish.version).toBe(1);
  return { agentId, set, answer };
}

test('a gate holds for an agent that nobody has talked to, and only for changes', async () => {
  const { agentId } = await gatedAgent('patience');
  const untested = /^UNPROCESSABLE: Not published: The test set "Basics" has not run with exactly this content/;
  for (const systemPrompt of ['Be rude.', 'Be rude.', 'Be mean.'])
    expect(
      await admin.refusal('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', {
        id: agentId,
        input: { systemPrompt },
      }),
    ).toMatch(untested);
  const { rows } = await pool.query('select id from agent.tools where agent_id = $1', [agentId]);
  expect(
    await admin.refusal('mutation ($agentId: ID!, $id: ID!) { deleteTool(agentId: $agentId, id: $id) { id } }', {
      agentId,
      id: rows[0].id,
    }),
  ).toMatch(untested);
  // Content that is written again publishes nothing.
  await pool.query('update agent.tools set updated_at = now() where agent_id = $1', [agentId]);
  await change(agentId, { systemPrompt: 'Be kind.' });
  const { rows: versions } = await pool.query('select number from agent.agent_versions where agent_id = $1', [agentId]);
  const { agent } = await admin.ask('query ($id: ID!) { agent(id: $id) { version } }', { id: agentId });
  expect([versions, agent.version]).toEqual([[{ number: 1 }], 1]);
});

test('a gate needs repeats, and no newer run that failed, also if it was stopped', async () => {
  const { agentId, set, answer } = await gatedAgent('luck');
  const draft = await openDraft(agentId);
  await change(draft, { systemPrompt: 'Be kind. Be brief.' });
  await test1(set);
  expect(await refusalOf(draft)).toBe(
    'The test set "Basics" has run with fewer than 3 repeats of each case. Run it again with 3 or more.',
  );
  await test1(set, { repeats: 3 });
  expect(await refusalOf(draft)).toBeNull();
  answer.of = () => 'No.';
  const id = await start(set, { repeats: 3 });
  await engine.beginRun(own.scopeOf(acme.id), id);
  const [first] = await engine.openResults(own.scopeOf(acme.id), id, 0, 1);
  await engine.runResult({ ...own.scopeOf(acme.id), model, signal: new AbortController().signal }, first!.resultId);
  await admin.ask('mutation ($id: ID!) { stopTestRun(id: $id) { status } }', { id });
  const refused = 'A newer run of "Basics" with this content has failed results. Run it again, to its end.';
  expect(await refusalOf(draft)).toBe(refused);
  await test1(set);
  expect(await refusalOf(draft)).toBe(refused);
  answer.of = () => 'Gladly.';
  await test1(set, { repeats: 3 });
  expect(await refusalOf(draft)).toBeNull();
});

test('repeats without a reply hide no regression, make none, and pass no gate alone', async () => {
  const { agentId, set, answer } = await gatedAgent('outages');
  const draft = await openDraft(agentId);
  await change(draft, { systemPrompt: 'Be rude.' });
  answer.of = (instructions) => (instructions.includes('Be rude.') ? 'No.' : 'Gladly.');
  /** A run in which these repeats have no reply. */
  const runWith = async (isError: (name: string) => boolean) => {
    const id = await start(set, { repeats: 3 });
    const scope = () => own.scopeOf(acme.id);
    await engine.beginRun(scope(), id);
    for (const { resultId, name } of await engine.openResults(scope(), id, 0, 10))
      if (isError(name)) {
        await pool.query(`update agent.test_results set status = 'processing' where id = $1`, [resultId]);
        await engine.failResult(scope(), resultId, 'The model provider could not answer.');
      } else await engine.runResult({ ...scope(), model, signal: new AbortController().signal }, resultId);
    await engine.finishRun(scope(), id);
    return runOf(id);
  };
  expect(await runWith((name) => name.endsWith(', 1)'))).toMatchObject({ regressions: 1, published: { always: 1 } });
  expect(await runWith((name) => name.includes('draft'))).toMatchObject({ regressions: 0, draft: { never: 1 } });
  const refused = 'Some cases of "Basics" had only errors. Run it again: Kind';
  expect(await refusalOf(draft)).toBe(refused);
  answer.of = () => 'Gladly.';
  await runWith((name) => name.includes('published'));
  expect(await refusalOf(draft)).toBe(refused);
  await runWith((name) => name.endsWith('draft, 2)'));
  expect(await refusalOf(draft)).toBeNull();
});

test('a run counts only beside what is published now', async () => {
  const { agentId, set } = await gatedAgent('time');
  const first = await openDraft(agentId);
  await change(first, { systemPrompt: 'Be brief.' });
  await test1(set, { repeats: 3 });
  await change(first, { systemPrompt: 'Be long.' });
  await test1(set, { repeats: 3 });
  await admin.ask(PUBLISH, { id: first });
  const second = await openDraft(agentId);
  await change(second, { systemPrompt: 'Be brief.' });
  expect(await refusalOf(second)).toBe(
    'The published version has changed since the last run of "Basics" with this content. Run it again.',
  );
  await test1(set, { repeats: 3 });
  expect(await refusalOf(second)).toBeNull();
});

test.each(['set', 'agent'])(
  'the open run of a deleted %s stops, and its repeat in progress costs the replies that have begun',
  async (removed) => {
    const agentId = await createAgent();
    const set = await createSet(agentId);
    provider.on('farewell', (response) => response.refuse(400));
    await addCase(set, { name: 'Bye', messages: ['A farewell', 'Another one'] });
    const credits = async () =>
      Number((await pool.query('select credits from identity.organizations where id = $1', [acme.id])).rows[0].credits);
    const before = await credits();
    const runId = await start(set, { target: 'published', repeats: 2 });
    const scope = () => own.scopeOf(acme.id);
    await engine.beginRun(scope(), runId);
    const [begun] = await engine.openResults(scope(), runId, 0, 1);
    const attempt = () => engine.runResult({ ...scope(), model, signal: new AbortController().signal }, begun!.resultId);
    await expect(attempt()).rejects.toThrow();
    expect(before - (await credits())).toBe(2);
    if (removed === 'set') await admin.ask('mutation ($id: ID!) { deleteTestSet(id: $id) { deleted } }', { id: set });
    else await admin.ask('mutation ($id: ID!) { deleteAgent(id: $id) { deleted } }', { id: agentId });
    await attempt();
    await engine.failResult(scope(), begun!.resultId, 'Too late');
    expect(before - (await credits())).toBe(1);
    const { rows } = await pool.query(
      `select (select count(*)::int from agent.test_runs where id = $1::text::uuid) as runs,
            (select count(*)::int from identity.outbox where topic = 'test-run.stop' and payload ->> 'runId' = $1::text) as stops`,
      [runId],
    );
    expect(rows).toEqual([{ runs: 0, stops: 1 }]);
  },
);

test('a set that becomes a gate while it is deleted is either a gate or gone', async () => {
  for (let round = 0; round < 4; round += 1) {
    const agentId = await createAgent();
    const set = await createSet(agentId);
    const refusals = await Promise.all([
      admin.refusal('mutation ($id: ID!) { deleteTestSet(id: $id) { deleted } }', { id: set }),
      admin.refusal(
        'mutation ($agentId: ID!, $r: NewPublishRequirement) { requireTestsToPublish(agentId: $agentId, requirement: $r) { id } }',
        { agentId, r: { testSetId: set, share: 1 } },
      ),
    ]);
    expect(refusals.filter(Boolean)).toEqual([expect.stringMatching(/^(NOT_FOUND|UNPROCESSABLE): /)]);
  }
});

test('a nightly run starts once, and its failure is an event and a note', async () => {
  const agentId = await createAgent();
  const set = await createSet(agentId, { nightly: true });
  provider.on('night', (response) => response.text('Dark.').finish());
  await addCase(set, { name: 'Light', messages: ['How is the night?'], checks: [{ kind: 'states', text: 'light' }] });
  await addCase(set, { name: 'Dark', messages: ['How is the night?'], checks: [{ kind: 'states', text: 'dark' }] });
  const empty = await createSet(agentId, { name: 'Empty', nightly: true });
  await pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events, about_id, method, enabled, failure_count, created_at)
     values (gen_random_uuid(), $1, 'integration', 'https://hooks.example/', '{agent.tests.failed}', $2, 'post', true, 0, now())`,
    [acme.id, agentId],
  );
  await pool.query(`update agent.test_sets set next_run_at = now() - interval '3 days' where id = any($1)`, [[set, empty]]);
  await Promise.all([startNightlyRuns(own.services), startNightlyRuns(own.services)]);
  const { rows: due } = await pool.query(
    `select id from agent.test_sets where id = any($1) and next_run_at > now() and next_run_at <= now() + interval '1 day'`,
    [[set, empty]],
  );
  expect(due).toHaveLength(2);
  const { rows: runs } = await pool.query('select id, trigger, target from agent.test_runs where agent_id = $1', [agentId]);
  expect(runs).toEqual([{ id: expect.any(String), trigger: 'schedule', target: 'published' }]);
  await work(runs[0].id);
  const { failedNightlyTestRuns: notes } = await admin.ask('{ failedNightlyTestRuns { id share agent { id } } }');
  expect(notes).toEqual([{ id: runs[0].id, share: 0.5, agent: { id: agentId } }]);
  // The list and the event have the same rule.
  await pool.query('update agent.test_sets set required_share = 0.5 where id = $1', [set]);
  expect((await admin.ask('{ failedNightlyTestRuns { id } }')).failedNightlyTestRuns).toEqual([]);
  const { rows: events } = await pool.query(`select event, payload from webhooks.events where about_id = $1`, [agentId]);
  expect(events.map(({ event, payload }) => [event, JSON.parse(payload)])).toEqual([
    [
      'agent.tests.failed',
      expect.objectContaining({
        id: runs[0].id,
        testSetName: 'Basics',
        share: 0.5,
        failing: ['Light'],
        createdAt: expect.stringMatching(/Z$/),
      }),
    ],
  ]);
});

test('a run that a user started and that does not pass is another event than that of the night', async () => {
  const agentId = await createAgent();
  const set = await createSet(agentId);
  provider.on('morning', (response) => response.text('Dark.').finish());
  await addCase(set, { name: 'Light', messages: ['How is the morning?'], checks: [{ kind: 'states', text: 'light' }] });
  await pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events, about_id)
     values (gen_random_uuid(), $1, 'integration', 'https://hooks.example/', '{agent.tests.failed,test.failed}', $2)`,
    [acme.id, agentId],
  );
  const run = await start(set, { target: 'published' });
  await work(run);
  const bodies = await bodiesOf(pool, 'd.organization_id = $1 and e.about_id = $2', [acme.id, agentId]);
  expect(bodies.map(({ event, data }) => [event, data])).toEqual([
    ['test.failed', expect.objectContaining({ id: run, target: 'published', share: 0, failing: ['Light'] })],
  ]);
});

test('the next night is at 02:00 UTC, and after the one that was due, also for a process whose clock is behind', () => {
  const hours = (from: Date) => (nightAfterRun(from).getTime() - from.getTime()) / 3_600_000;
  const due = new Date('2100-03-01T02:00:00Z');
  expect(nightAfterRun(due)).toEqual(new Date('2100-03-02T02:00:00Z'));
  expect(nightAfterRun(new Date('2100-02-28T01:59:00Z'))).toEqual(new Date('2100-02-28T02:00:00Z'));
  expect(hours(new Date(Date.now() - 60_000))).toBeLessThanOrEqual(24.1);
});

test('nightly runs take turns by organization, wait for room, and have a limit of credits', async () => {
  const due = async ({ id, key }: { id: string; key: string }, count: number) => {
    const input = { name: 'Zoe', systemPrompt: 'Be kind.' };
    const { createAgent: made } = await graph
      .caller(key)
      .ask('mutation ($input: NewAgent!) { createAgent(input: $input) { id } }', { input });
    const { rows } = await pool.query(
      `with s as (
         insert into agent.test_sets (id, organization_id, agent_id, name, nightly, next_run_at)
         select gen_random_uuid(), $1, $2, 'Night ' || n, true, now() - interval '1 day' from generate_series(1, $3::int) n returning id),
       c as (
         insert into agent.test_cases (id, organization_id, test_set_id, name, messages, checks, recordings, origin)
         select gen_random_uuid(), $1, s.id, 'Hi', '{Hi}', '[{"kind": "answers"}]', '[]', 'manual' from s)
       select id from s`,
      [id, made.id, count],
    );
    return rows.map((row) => row.id);
  };
  const [many, full, one] = [await graph.seed({}), await graph.seed({}), await graph.seed({})];
  const sets = [...(await due(many, 60)), ...(await due(full, 1)), ...(await due(one, 1))];
  await pool.query('update identity.organizations set storage_quota = 0 where id = $1', [full.id]);
  await pool.query(`update agent.test_sets set next_run_at = now() - interval '1 hour' where organization_id = $1`, [one.id]);
  await startNightlyRuns(own.services);
  const runs = await pool.query(
    'select organization_id as id, count(*)::int as n, min(credit_limit)::int as "limit" from agent.test_runs where test_set_id = any($1) group by 1 order by n',
    [sets],
  );
  expect(runs.rows).toEqual([
    { id: one.id, n: 1, limit: 1_000 },
    { id: many.id, n: 10, limit: 1_000 },
  ]);
  const waits = await pool.query(
    `select organization_id as id, count(*)::int as n, max(next_run_at) < now() + interval '6 minutes' as soon, max(next_run_at) < now() + interval '61 minutes' as hour
       from agent.test_sets s where id = any($1) and next_run_at > now() and not exists (select from agent.test_runs where test_set_id = s.id) group by 1 order by n`,
    [sets],
  );
  expect(waits.rows).toEqual([
    { id: full.id, n: 1, soon: false, hour: true },
    { id: many.id, n: 38, soon: true, hour: true },
  ]);
});
