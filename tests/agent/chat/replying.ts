import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { creditsOf, question, read, seedAgent } from './chatting.ts';

/** An agent behind a gateway, and replies of it that a test can hold and follow. */
export async function openReplies() {
  const provider = await startChatProvider();
  const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
  /** The gateway of the shared system, which is another process. */
  const second = { url: process.env.TEST_URL! };
  const acme = await seedAgent(gateway.url, {}, { credits: 100 });
  const withKey = { 'x-api-key': acme.key };
  return {
    provider,
    gateway,
    second,
    acme,
    withKey,
    elsewhere: acme.adminPath.replace(gateway.url, second.url),
    credits: () => creditsOf(acme.id),
    resume: async (path: string, conversationId: string) =>
      read(await fetch(`${path}/${conversationId}/stream`, { headers: withKey })),
    /** Start a reply that writes 'Begin' and waits for `go`. */
    async begin(word: string, path = acme.adminPath) {
      const gate = Promise.withResolvers<void>();
      let isAborted = () => false;
      provider.on(word, async (response) => {
        isAborted = () => response.isAborted;
        response.text('Begin');
        await gate.promise;
        response.text(' end').finish();
      });
      const disconnect = new AbortController();
      const response = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...withKey },
        body: JSON.stringify(question(word)),
        signal: disconnect.signal,
      });
      const conversationId = response.headers.get('x-conversation-id')!;
      return { response, conversationId, go: gate.resolve, disconnect: () => disconnect.abort(), isAborted: () => isAborted() };
    },
    async close() {
      await gateway.stop();
      await provider.close();
    },
  };
}

export const lastReply = async (conversationId: string) =>
  (
    await database().query(
      `select * from agent.messages where conversation_id = $1 and role = 'assistant' order by position desc limit 1`,
      [conversationId],
    )
  ).rows[0];

/** Wait until other processes can read this text of the reply. */
export const partStored = (conversationId: string, text: string) =>
  until(async () => {
    const { rows } = await database().query(
      `select 1 from agent.reply_parts p join agent.messages m on m.id = p.message_id
        where m.conversation_id = $1 and p.parts::text like '%' || $2 || '%'`,
      [conversationId, text],
    );
    return rows.length > 0;
  });
