import { openAgent } from './support.ts';

const agent = await openAgent();
const questions = [
  ['How long is the warranty?', 'All tools have a warranty of three years.'],
  ['Do you ship to Norway?', 'We ship to Norway, Sweden and Denmark within five days.'],
  ['Can I pay by invoice?', 'Business customers can pay by invoice within 14 days.'],
  ['Where are you located?', 'Our store is in Harbor Street 12.'],
];
const filler = Array.from({ length: 40 }, (_, at) => ({
  question: `Part ${at}?`,
  answer: `Part number ${at} fits the saw ${at}.`,
}));
await agent.index({
  type: 'qa',
  name: 'Questions',
  qa: [...questions.map(([question, answer]) => ({ question, answer })), ...filler],
});
const best = async (question: string) => (await agent.ask(question)).passages[0];

test.each([
  ['the same words', 'How long is the warranty?', 'three years'],
  ['other words around one in common', 'Tell me about your warranty terms please', 'three years'],
  ['typos in every word', 'waranty lenght', 'three years'],
  ['another form of the word', 'invoices payments', 'by invoice'],
  ['upper case and punctuation', 'NORWAY??? !!!', 'Norway'],
])('a question with %s finds its answer', async (_, question, answer) => {
  expect((await best(question)).text).toContain(answer);
});

test('a passage says why it was found', async () => {
  const passage = await best('How long is the warranty?');
  expect(passage).toMatchObject({
    ...{ type: 'qa', url: null, title: null, headings: ['How long is the warranty?'], included: true },
    ...{ wordRank: 1, vectorRank: 1, source: { name: 'Questions' } },
  });
  expect(passage.words).toEqual(expect.arrayContaining(['warranty']));
  expect(passage.similarity).toBeGreaterThan(0.3);
  expect(passage.score).toBeCloseTo(2 / 61, 6);
  expect(passage.tokens).toBeGreaterThan(5);
});

test('the token limit of the agent decides what is included', async () => {
  const set = (maxRetrievalTokens: number) =>
    agent.owner.graphql('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', {
      id: agent.agentId,
      input: { maxRetrievalTokens },
    });
  await set(60);
  const { passages, tokens, maxRetrievalTokens } = await agent.ask('saw part number');
  expect(maxRetrievalTokens).toBe(60);
  const included = passages.filter((each: { included: boolean }) => each.included);
  expect(included.length).toBeGreaterThan(0);
  expect(included.length).toBeLessThan(passages.length);
  expect(tokens).toBeLessThanOrEqual(60);
  await set(0);
  expect((await agent.ask('saw part number')).tokens).toBe(0);
  await set(4_000);
});

test('the highest token limit can be used up', async () => {
  const large = await openAgent();
  await large.owner.graphql('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', {
    id: large.agentId,
    input: { maxRetrievalTokens: 16_000 },
  });
  const chapter = (at: number) => `# Saw ${at}\n\n${`The saw ${at} cuts wood and metal. `.repeat(32)}`;
  const text = Array.from({ length: 80 }, (_, at) => chapter(at)).join('\n\n');
  await large.index({ type: 'text', name: 'Saws', text });
  const { passages, tokens } = await large.ask('Which saw cuts wood?');
  expect(passages).toHaveLength(60);
  expect(tokens).toBeGreaterThan(15_500);
  expect(tokens).toBeLessThanOrEqual(16_000);
});

test.each(["it's \\ 'quoted' & | ! ( ) :* <->", '%_\\', '🤖', 'the of and', ':', 'x'.repeat(4_000), '\u0001\u0002'])(
  'the question %j is searched without an error',
  async (question) => {
    expect((await agent.ask(question)).passages).toBeInstanceOf(Array);
  },
);

test('an agent without sources finds nothing, and a blank or endless question is refused', async () => {
  const empty = await openAgent();
  expect((await empty.ask('anything')).passages).toEqual([]);
  await expect(agent.ask('')).rejects.toThrow('question must not be empty');
  await expect(agent.ask('x'.repeat(4_001))).rejects.toThrow('question must be at most 4000 characters');
});

test('an agent never finds the sources of another agent or organization', async () => {
  const stranger = await openAgent();
  await stranger.index({ type: 'text', name: 'Other', text: 'The warranty of the stranger is ten years.' });
  const texts = async (by: typeof agent) => (await by.ask('warranty years')).passages.map(({ text }: { text: string }) => text);
  expect(await texts(stranger)).toEqual(['The warranty of the stranger is ten years.']);
  expect((await texts(agent)).join()).not.toContain('stranger');
});

test('a text is split by its headings, which belong to their passages', async () => {
  const own = await openAgent();
  const text = `# Delivery\n\n${'Parcels leave our house every day. '.repeat(80)}\n\n## Islands\n\nBoats leave on Monday.\n\n# Returns\n\nSend it back.`;
  const { last } = await own.index({ type: 'text', name: 'Guide', text });
  expect(last.chunkCount).toBe(5);
  const [passage] = (await own.ask('When do boats leave?')).passages;
  expect([passage.headings, passage.text]).toEqual([['Delivery', 'Islands'], 'Boats leave on Monday.']);
});

test('no line of a text or of an answer is lost', async () => {
  const agent = await openAgent();
  const ask = async (question: string) =>
    (await agent.ask(question)).passages.map(({ headings, text }: { headings: string[]; text: string }) => [headings, text]);
  const long = `${'Tell me more about it. '.repeat(10)}Do you sell umbrellas?`;
  const qa = [
    { question: 'Where is the shop?', answer: '# 12 Elm Street\n\n## Second floor' },
    { question: long, answer: 'Yes.' },
  ];
  const indexed = await Promise.all([
    agent.index({ type: 'text', name: 'Short', text: '# Closed on Mondays' }),
    agent.index({ type: 'text', name: 'Facts', text: '# Delivery\n\n## We ship to Norway\n\n## Wrapping is free\n\nAsk for it.' }),
    agent.index({ type: 'qa', name: 'Questions', qa }),
  ]);
  expect(indexed.map(({ last }) => last)).toMatchObject([
    { status: 'ready', chunkCount: 1 },
    { status: 'ready', chunkCount: 2 },
    { status: 'ready', chunkCount: 2 },
  ]);
  expect(await ask('Mondays')).toContainEqual([[], 'Closed on Mondays']);
  expect(await ask('Norway')).toContainEqual([['Delivery'], 'We ship to Norway']);
  expect(await ask('Elm Street')).toContainEqual([['Where is the shop?'], '# 12 Elm Street\n## Second floor']);
  expect(await ask('umbrellas')).toContainEqual([[long.slice(0, 200)], `${long}\nYes.`]);
});
