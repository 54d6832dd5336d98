import { SignJWT } from 'jose';
import { createModel } from '../../../platform/model/model-client.ts';
import { agent as parts } from '../../../subgraphs/agent/agent.ts';
import { agentTables } from '../../../subgraphs/agent/tables.ts';
import { startChatProvider } from '../../support/chat-provider.ts';
import { DASHBOARD, openSubgraph } from '../../support/subgraph.ts';
import { startToolReceiver } from '../tools/receiver.ts';

const models = { 'budget-v1': 'm', 'pro-v1': 'm', 'agent-chat-v1': 'm', 'agent-chat-pro-v1': 'm' };

/** One part of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
type Part = Record<string, any>;

const CHAT = `subscription ($slug: String!, $visitorId: String, $messages: [UIMessage!]!, $conversationId: ID, $pageContext: JSONObject) {
  widgetChat(publicSlug: $slug, visitorId: $visitorId, messages: $messages, conversationId: $conversationId, pageContext: $pageContext) { part visitorId conversationId }
}`;
const DECIDE = `subscription ($slug: String!, $visitorId: String, $id: ID!, $approved: Boolean!) {
  decideWidgetApproval(publicSlug: $slug, visitorId: $visitorId, id: $id, approved: $approved) { part visitorId conversationId }
}`;
const APPROVALS = `query ($slug: String!, $visitorId: String, $id: ID!) {
  widgetApprovals(publicSlug: $slug, visitorId: $visitorId, conversationId: $id) { id messageId toolCallId toolName party text status }
}`;

const HANDOFF_TOKEN = `query ($slug: String!, $visitorId: String, $id: ID) {
  handoffToken(publicSlug: $slug, visitorId: $visitorId, conversationId: $id) { token }
}`;

/** A shop whose agent has tools at a receiver, a model that follows a script, and visitors. All of it runs in this process. */
export async function openShop() {
  const [provider, receiver] = await Promise.all([startChatProvider(), startToolReceiver()]);
  const model = createModel({ apiKey: 'x', baseUrl: provider.url, webSearch: 'off', models, embedding: 'hashes' });
  const limits = { visitor: 1_000_000, address: 1_000_000 };
  const graph = await openSubgraph(parts, agentTables, { model, allowHosts: ['127.0.0.1', 'localhost'], chatLimits: limits });

  async function seedSite(settings: object = { requireApprovals: true }) {
    const organization = await graph.seed({ modules: ['helpdesk'], plan: 'growth', credits: 1_000_000 });
    const admin = graph.caller(organization.key);
    const input = { name: 'Zoe', maxRetrievalTokens: 0, dailyCreditLimit: 1_000_000, ...settings };
    const { createAgent: agent } = await admin.ask(
      'mutation ($input: NewAgent!) { createAgent(input: $input) { id publicSlug } }',
      { input },
    );
    const made = await admin.ask(
      'mutation ($id: ID!) { identity: rotateSigningSecret(agentId: $id, purpose: identity) { secret } requests: rotateSigningSecret(agentId: $id, purpose: requests) { secret } }',
      { id: agent.id },
    );
    const slug: string = agent.publicSlug;
    const createTool = async (name: string, tool: object) =>
      (
        await admin.ask('mutation ($id: ID!, $input: NewTool!) { createTool(agentId: $id, input: $input) { id } }', {
          id: agent.id,
          input: { name, description: 'Does it.', endpointUrl: `${receiver.url}/${name}`, ...tool },
        })
      ).createTool.id as string;
    const sign = (claims: object) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(made.identity.secret));

    /** A visitor of a page, who is signed in with a token. */
    function visit(visitorId: string = crypto.randomUUID(), token?: string) {
      const caller = graph.caller(undefined, {
        origin: DASHBOARD,
        'x-client-address': '10.0.0.1',
        ...(token && { 'x-identity-token': token }),
      });
      const read = (events: { [name: string]: { part: Part; conversationId: string } }[]) => {
        const all = events.map((event) => Object.values(event)[0]!);
        const streamed = all.map(({ part }) => part);
        return {
          parts: streamed,
          conversationId: all[0]?.conversationId ?? '',
          text: streamed.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join(''),
          asked: streamed.filter(({ type }) => type === 'tool-approval-request').map(({ approvalId }) => approvalId as string),
        };
      };
      return {
        visitorId,
        async say(text: string, conversationId?: string, pageContext?: object) {
          const messages = [{ role: 'user', parts: [{ type: 'text', text }] }];
          return read(await caller.follow(CHAT, { slug, visitorId, messages, conversationId, pageContext }));
        },
        /** Write to the person who has the conversation, over the handoff. */
        async write(text: string, conversationId: string) {
          const { handoffToken } = await caller.ask(HANDOFF_TOKEN, { slug, visitorId, id: conversationId });
          await graph
            .caller(undefined, { 'x-client-address': '10.0.0.1', 'x-handoff-token': handoffToken.token })
            .ask('mutation ($text: String!) { sendVisitorMessage(text: $text) { id } }', { text });
        },
        decide: async (id: string, approved: boolean) => read(await caller.follow(DECIDE, { slug, visitorId, id, approved })),
        approvals: async (id: string) => (await caller.ask(APPROVALS, { slug, visitorId, id })).widgetApprovals as Part[],
      };
    }
    return {
      ...organization,
      admin,
      agent: agent as { id: string; publicSlug: string },
      identitySecret: made.identity.secret as string,
      requestSecret: made.requests.secret as string,
      createTool,
      sign,
      visit,
    };
  }

  /** A tool that writes, with a question. */
  const cancelOrder = {
    inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    endpointUrl: `${receiver.url}/orders/{{params.number}}/cancel`,
    bodyTemplate: '{"number": "{{params.number}}"}',
    confirmation: 'Cancel the order {{params.number}}?',
  };
  /** The model calls the tool at once, and answers when it has the result. */
  const calls = (word: string, tool: string, input: object) =>
    provider.on(word, (response, { messages }) => {
      const last = messages.at(-1)!;
      if (last.role === 'tool') response.text(`Result: ${last.content}`).finish();
      else response.call(0, 'c1', tool, JSON.stringify(input)).finish('tool_calls');
    });

  return {
    graph,
    provider,
    receiver,
    calls,
    cancelOrder,
    seedSite,
    async close() {
      await graph.close();
      await Promise.all([provider.close(), receiver.close()]);
    },
  };
}
