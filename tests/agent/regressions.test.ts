import { setTimeout as sleep } from 'node:timers/promises';
import { detached } from '../../platform/scope/index.ts';
import { NO_ANSWER } from '../../subgraphs/agent/chat/citations.ts';
import { HANDOFF_TOOL } from '../../subgraphs/agent/handoff/handoff-tool.ts';
import { chunkSource, embedChunks } from '../../subgraphs/agent/ingestion/ingestion-steps.ts';
import { publishChunks } from '../../subgraphs/agent/ingestion/publish.ts';
import { beginSource, type IngestionScope, type NextStep } from '../../subgraphs/agent/ingestion/source-state.ts';
import { resultIn } from '../support/chat-provider.ts';
import { openTests } from './open-tests.ts';

const tests = await openTests({ credits: 100_000, modules: ['helpdesk'] });
afterAll(() => tests.close());
const { admin, make, addTool, addCase, change } = tests;

/** A model that obeys its instructions, uses the tool whose description fits, and takes facts from passages. Faults are switched on. */
const faults = { uncited: false, french: false, slow: false, guesses: false, wrongArguments: false };
tests.provider.on('', async (response, { messages, tools = [] }) => {
  const [{ content: system }, last] = [messages[0]!, messages.at(-1)!];
  const instructions = system!.split('Rules of the service')[0]!;
  const question = messages.findLast(({ role }) => role === 'user')!.content!;
  const orders = (text: string) => instructions.includes(text);
  if (faults.slow && question.startsWith('Hello')) await sleep(1_100);
  const say = (text: string) => {
    const told = orders('Never mention numbers.') ? text.replace(/ \d+/g, ' some') : text;
    const cited = faults.uncited || orders('Do not cite.') ? told.replace(/ ?\[\d+\]/g, '') : told;
    response.text(`${cited}${orders('Promise a refund.') ? ' Every buyer gets a refund.' : ''}`).finish();
  };
  if (last.role === 'tool') return say(`There are ${resultIn(last)} of them, and that is the result.`);
  const use = (word: string, input: (argument: string) => object) => {
    const found = tools.findLast(({ function: { description } }) => description?.includes(word))?.function;
    if (!found || orders('Never use tools.')) return false;
    const [argument = 'x'] = Object.keys(found.parameters?.properties ?? {});
    response.call(0, 'c1', found.name, JSON.stringify(input(argument))).finish('tool_calls');
    return true;
  };
  const [, sku] = /stock of (\w+)/.exec(question) ?? [];
  if (sku && use('in stock', (argument) => ({ [argument]: faults.wrongArguments ? 'X9' : sku }))) return;
  if (question.includes('Cancel') && use('Cancels', () => ({ order: 'B-1' }))) return;
  if (question.startsWith('Hello') && use('greets', () => ({}))) return;
  if (question.includes('outrageous') && orders('Hand over angry visitors.') && !orders('Never hand over.'))
    return response.call(0, 'c1', HANDOFF_TOOL, '{"reason": "angry"}').finish('tool_calls');
  if (question.startsWith('Hello')) return say('Hello, and what can we do for you?');
  if (question.includes('poem'))
    return say(
      faults.guesses || orders('Write poems.') ? 'The sea is wide, and so are we.' : `${NO_ANSWER} That is not for us to say.`,
    );
  const isGerman = (orders('Answer in German.') || question.startsWith('Wie')) && !orders('Answer in English.');
  if (orders('Do not talk about warranties.')) return say(`${NO_ANSWER} We do not talk about that.`);
  const [, number, months] = /<passage number="(\d+)"[^>]*>\n[^<]*?(\d+) (?:months|Monate)/.exec(system!) ?? [];
  const [, own] = /The warranty is (\d+) months\./.exec(instructions) ?? [];
  if (!number && !own) return say(`${NO_ANSWER} I do not know that, and it is not in the text.`);
  const mark = own ? '' : ` [${number}]`;
  if (faults.french) return say(`La garantie est de ${own ?? months} mois pour vous et les autres${mark}.`);
  say(
    isGerman
      ? `Die Garantie für das Gerät ist ${own ?? months} Monate${mark}.`
      : `The warranty for it is ${own ?? months} months${mark}.`,
  );
});

const PROMPT = 'You work for the shop. Hand over angry visitors.';
const agentId = await tests.createAgent({ systemPrompt: PROMPT, maxRetrievalTokens: 2_000, requireApprovals: true });
const STOCK = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] };
const stock = { name: 'stock', description: 'Says how many are in stock.', method: 'GET', inputSchema: STOCK };
await addTool(agentId, stock);
await addTool(agentId, { name: 'cancel', description: 'Cancels an order.', approval: 'visitor' });

const terms = 'The warranty of the drill is 24 months from the day of the purchase.';
const bedingungen = 'Wie lange ist die Garantie der Bohrmaschine? Die Garantie gilt 24 Monate.';

/** Adds a source, and indexes it as the workflow does. */
async function addSource(name: string, text: string): Promise<string> {
  const id = await make(
    'mutation ($agentId: ID!, $input: NewSource!) { made: createSource(agentId: $agentId, input: $input) { id } }',
    { agentId, input: { type: 'text', name, text } },
  );
  const steps = { chunkSource, embedChunks, publishChunks };
  const scope = {
    ...detached({ organizationId: tests.organization.id, services: tests.graph.services }),
    ...{ model: tests.model, perOrganization: 8 },
  } as IngestionScope;
  let next: NextStep = await beginSource(scope, id);
  while (next.step !== 'done') next = await steps[next.step as keyof typeof steps](scope, id);
  return id;
}
const removeSource = (id: string) => admin.ask('mutation ($id: ID!) { deleteSource(id: $id) { deleted } }', { id });
const sources = { terms: await addSource('Terms', terms), bedingungen: await addSource('Bedingungen', bedingungen) };

const set = await tests.createSet(agentId);
const checksOf = (...each: [kind: string, more?: object][]) => each.map(([kind, more]) => ({ kind, ...more }));
const warrantyCase = {
  name: 'Warranty',
  messages: ['How long is the warranty of the drill?'],
  checks: checksOf(
    ['states', { number: 24, unit: 'months' }],
    ['cites', { text: 'Terms' }],
    ['language', { text: 'en' }],
    ['omits', { text: 'refund' }],
  ),
};
const stockCase = {
  name: 'Stock',
  messages: ['What is the stock of L1?'],
  checks: checksOf(['calls', { tool: 'stock', arguments: { sku: 'L1' } }], ['states', { number: 3, unit: 'pieces' }]),
  recordings: [{ tool: 'stock', arguments: { sku: 'L1' }, output: '3 pieces' }],
};
const limits = checksOf(['answers'], ['not_calls'], ['seconds', { number: 1 }], ['credits', { number: 1 }]);
for (const input of [
  warrantyCase,
  {
    name: 'Garantie',
    messages: ['Wie lange ist die Garantie der Bohrmaschine?'],
    checks: checksOf(['states', { number: 24, unit: 'Monate' }], ['language', { text: 'de' }], ['cites', { text: 'Bedingungen' }]),
  },
  stockCase,
  { name: 'Cancel', messages: ['Cancel the order B-1'], checks: checksOf(['asks_approval', { tool: 'cancel' }]) },
  { name: 'Angry', messages: ['This is outrageous!'], checks: checksOf(['hands_over']) },
  { name: 'Poem', messages: ['Write a poem about the sea'], checks: checksOf(['declines']) },
  { name: 'Greeting', messages: ['Hello'], checks: limits },
])
  await addCase(set, input);
await tests.requireTests(agentId, { testSetId: set, share: 1 });

/** Changes the draft, or the world, and returns what restores the world. */
type Seed = (draft: string) => Promise<unknown>;
const prompt =
  (text: string): Seed =>
  (draft) =>
    change(draft, { systemPrompt: `${PROMPT} ${text}` });
const setting =
  (input: object): Seed =>
  (draft) =>
    change(draft, input);
const toolOf = async (draft: string, name: string): Promise<string> =>
  (await admin.ask('query ($id: ID!) { tools(agentId: $id) { id name } }', { id: draft })).tools.find(
    (each: { name: string }) => each.name === name,
  ).id;
const tool =
  (name: string, input: object): Seed =>
  async (draft) =>
    admin.ask(
      'mutation ($agentId: ID!, $id: ID!, $input: ToolChange!) { updateTool(agentId: $agentId, id: $id, input: $input) { id } }',
      { agentId: draft, id: await toolOf(draft, name), input },
    );
const withoutTool =
  (name: string): Seed =>
  async (draft) =>
    admin.ask('mutation ($agentId: ID!, $id: ID!) { deleteTool(agentId: $agentId, id: $id) { deleted } }', {
      agentId: draft,
      id: await toolOf(draft, name),
    });
const withTool =
  (input: object): Seed =>
  (draft) =>
    addTool(draft, input);
const source =
  (key: keyof typeof sources, name: string | null, text: string): Seed =>
  async () => {
    const original = key === 'terms' ? (['Terms', terms] as const) : (['Bedingungen', bedingungen] as const);
    await removeSource(sources[key]);
    const replacement = name && (await addSource(name, text));
    return async () => {
      if (replacement) await removeSource(replacement);
      sources[key] = await addSource(original[0], original[1]);
    };
  };
const model =
  (fault: keyof typeof faults): Seed =>
  async () => {
    faults[fault] = true;
    return async () => {
      faults[fault] = false;
    };
  };

test('all cases pass before anything is changed', async () => {
  const { cases } = await tests.play(set, { target: 'published' });
  expect(
    cases.nodes.flatMap(({ results }: { results: { turns: object[]; checks: { passed: boolean }[] }[] }) =>
      results.flatMap(({ turns, checks }) => (checks.every(({ passed }) => passed) ? [] : [{ turns, checks }])),
    ),
  ).toEqual([]);
});

test.each<[string, string, Seed]>([
  ['instructions hide numbers', 'Warranty', prompt('Never mention numbers.')],
  ['instructions want German', 'Warranty', prompt('Answer in German.')],
  ['instructions want English', 'Garantie', prompt('Answer in English.')],
  ['instructions forbid citations', 'Warranty', prompt('Do not cite.')],
  ['instructions forbid a subject', 'Garantie', prompt('Do not talk about warranties.')],
  ['instructions promise a refund', 'Warranty', prompt('Promise a refund.')],
  ['instructions contradict a source', 'Warranty', prompt('The warranty is 12 months.')],
  ['instructions forbid people', 'Angry', prompt('Never hand over.')],
  ['instructions forbid tools', 'Stock', prompt('Never use tools.')],
  ['instructions allow guesses', 'Poem', prompt('Write poems.')],
  ['instructions lost a sentence', 'Angry', setting({ systemPrompt: 'You work for the shop.' })],
  ['no passages are retrieved', 'Warranty', setting({ maxRetrievalTokens: 0 })],
  ['the model costs more', 'Greeting', setting({ modelType: 'agent-chat-pro-v1' })],
  ['a tool is renamed', 'Stock', tool('stock', { name: 'inventory' })],
  ['a tool is disabled', 'Stock', tool('stock', { enabled: false })],
  ['a tool is deleted', 'Stock', withoutTool('stock')],
  [
    'an argument is renamed',
    'Stock',
    tool('stock', { inputSchema: { type: 'object', properties: { article: { type: 'string' } } } }),
  ],
  [
    'a schema refuses the argument',
    'Stock',
    tool('stock', { inputSchema: { ...STOCK, properties: { sku: { type: 'string', pattern: '^Z' } } } }),
  ],
  ['a description says something else', 'Stock', tool('stock', { description: 'Tells the weather.' })],
  ['another tool is like it', 'Stock', withTool({ ...stock, name: 'zz_stock' })],
  ['a tool is called without need', 'Greeting', withTool({ name: 'greet', description: 'It greets the visitor.', method: 'GET' })],
  ['an approval is gone', 'Cancel', tool('cancel', { approval: 'none', confirmUnprotected: 'cancel' })],
  ['the tool with the approval is renamed', 'Cancel', tool('cancel', { name: 'storno' })],
  ['the tool with the approval is deleted', 'Cancel', withoutTool('cancel')],
  ['a source is removed', 'Warranty', source('terms', null, '')],
  ['a source says something else', 'Warranty', source('terms', 'Terms', terms.replace('24', '12'))],
  ['a source has another title', 'Warranty', source('terms', 'Old page', terms)],
  ['a source of a language is removed', 'Garantie', source('bedingungen', null, '')],
  ['the model ignores citations', 'Warranty', model('uncited')],
  ['the model answers in another language', 'Warranty', model('french')],
  ['the model is slow', 'Greeting', model('slow')],
  ['the model guesses', 'Poem', model('guesses')],
  ['the model passes wrong arguments', 'Stock', model('wrongArguments')],
])('a set catches that %s, by the case %s', async (_, expected, seed) => {
  const draft = await tests.openDraft(agentId);
  const restore = await seed(draft);
  try {
    const { status, cases } = await tests.play(set, { repeats: 3 });
    expect(status).toBe('completed');
    const failed = cases.nodes.filter((each: { draft: string }) => each.draft === 'never');
    expect(failed.map((each: { name: string }) => each.name)).toContain(expected);
    expect(await tests.refusalOf(draft)).toMatch(/"Basics"/);
  } finally {
    if (typeof restore === 'function') await restore();
    await admin.ask('mutation ($id: ID!) { discardAgentDraft(id: $id) { deleted } }', { id: draft });
  }
});

test('a hundred runs of the same content with recorded answers never block it', async () => {
  const small = await tests.createSet(agentId, { name: 'Small' });
  for (const input of [stockCase, warrantyCase]) await addCase(small, input);
  await tests.requireTests(agentId, { testSetId: small, share: 1 });
  const draft = await tests.openDraft(agentId);
  await change(draft, { welcomeMessage: 'Hello!' });
  for (let run = 0; run < 100; run += 1) {
    await tests.play(small, { repeats: 3 });
    expect(await tests.refusalOf(draft)).toBe(null);
  }
});
