import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { openShop } from '../approvals/open-shop.ts';
import { question, seedAgent, send, textOf, visitor } from '../chat/chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
const shop = await openShop();
afterAll(async () => {
  await shop.close();
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url, { systemPrompt: 'Version one.' });
const { graphql } = acme.admin;

const change = (id: string, input: object) =>
  graphql('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', { id, input });
const versionOf = async (conversationId: string) => {
  const { conversation } = await graphql('query ($id: ID!) { conversation(id: $id) { messages { nodes { role version } } } }', {
    id: conversationId,
  });
  return conversation.messages.nodes.map(({ version }: { version: number | null }) => version);
};

test('each reply names the version that wrote it, also after direct changes', async () => {
  // The reply repeats its instructions.
  provider.on('which', (response, { messages }) => response.text(String(messages[0]!.content).slice(0, 12)).finish());
  const first = await acme.ask('which', { id: 'c-1' });
  expect(textOf(first.parts)).toBe('Version one.');
  await acme.ask('which', { id: 'c-1' });
  await change(acme.agent.id, { systemPrompt: 'Version two.' });
  const third = await acme.ask('which', { id: 'c-1' });
  expect(textOf(third.parts)).toBe('Version two.');
  expect(await versionOf(first.conversationId)).toEqual([null, 1, null, 1, null, 2]);
});

test('the draft replies to its editor with its settings and the sources of its agent, and visitors get the published version', async () => {
  const { openAgentDraft: draft } = await graphql('mutation ($id: ID!) { openAgentDraft(agentId: $id) { id } }', {
    id: acme.agent.id,
  });
  await change(draft.id, { systemPrompt: 'The draft...' });
  const [toDraft, toVisitor] = [
    await send(acme.adminPath.replace(acme.agent.id, draft.id), question('which'), { 'x-api-key': acme.key }),
    await send(acme.widgetPath, question('which'), visitor()),
  ];
  expect([textOf(toDraft.parts), textOf(toVisitor.parts)]).toEqual(['The draft...', 'Version two.']);
  expect([await versionOf(toDraft.conversationId), await versionOf(toVisitor.conversationId)]).toEqual([
    [null, null],
    [null, 2],
  ]);
  const { publishAgentDraft } = await graphql('mutation ($id: ID!) { publishAgentDraft(id: $id, note: "Three") { number } }', {
    id: draft.id,
  });
  const published = await send(acme.widgetPath, question('which'), visitor());
  expect([publishAgentDraft.number, textOf(published.parts), await versionOf(published.conversationId)]).toEqual([
    3,
    'The draft...',
    [null, 3],
  ]);
});

test('many first replies after a change make one version', async () => {
  await change(acme.agent.id, { systemPrompt: 'Many at once' });
  const replies = await Promise.all(Array.from({ length: 12 }, () => send(acme.widgetPath, question('which'), visitor())));
  const versions = await Promise.all(replies.map(({ conversationId }) => versionOf(conversationId)));
  expect(versions).toEqual(replies.map(() => [null, 4]));
});

test('a reply whose agent changes while an approved call is sent continues with the new settings, and names their version', async () => {
  const site = await shop.seedSite({ requireApprovals: true, systemPrompt: 'Version one.' });
  await site.createTool('cancel', shop.cancelOrder);
  shop.calls('cancel it', 'cancel', { number: '7' });
  const visitor = site.visit();
  const { asked, conversationId } = await visitor.say('cancel it');
  shop.receiver.replyWith(async (_, response) => {
    await site.admin.ask('mutation ($id: ID!) { updateAgent(id: $id, input: { systemPrompt: "Version two." }) { id } }', {
      id: site.agent.id,
    });
    response.end('{}');
  });
  await visitor.decide(asked[0]!, true);
  shop.receiver.replyWith();
  const prompts = shop.provider.requests('cancel it').map(({ messages }) => String(messages[0]!.content).slice(0, 12));
  expect(prompts).toEqual(['Version one.', 'Version two.']);
  const { conversation } = await site.admin.ask(
    'query ($id: ID!) { conversation(id: $id) { messages(page: 1, limit: 9) { nodes { role version } } } }',
    { id: conversationId },
  );
  expect(conversation.messages.nodes).toEqual([
    { role: 'user', version: null },
    { role: 'assistant', version: 2 },
  ]);
});

test('the figures count the replies to visitors, not those to editors', async () => {
  const { agentFigures } = await graphql(
    `query ($id: ID!) { agentFigures(agentId: $id) { total { questions answered failed credits endMedianMs firstTokenMedianMs }
       versions { version questions } } }`,
    { id: acme.agent.id },
  );
  const { total, versions } = agentFigures;
  expect(total).toMatchObject({ questions: 14, answered: 14, failed: 0, credits: 14 });
  expect([total.firstTokenMedianMs, total.endMedianMs]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(versions).toEqual([
    { version: 4, questions: 12 },
    { version: 3, questions: 1 },
    { version: 2, questions: 1 },
  ]);
});
