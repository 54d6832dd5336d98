import { type Part, question, send, textOf } from '../agent/chat/chatting.ts';
import { caller } from '../support/client.ts';
import { until } from '../support/until.ts';

/** The chat with the sample agent, at the address that `npm start` prints. */
export async function chatWithSample(output: string) {
  const [, path, key] = /curl -sN (\S+\/agents\/\S+\/chat) -H "x-api-key: (\S+)"/.exec(output)!;
  const [, url, agentId] = /^(.+?)\/api\/sample\/agents\/([^/]+)\/chat$/.exec(path!)!;
  const { graphql } = caller(key, { url });
  const sources = async () =>
    (await graphql('query ($agentId: ID!) { sources(agentId: $agentId) { status } }', { agentId })).sources;
  await until(async () => (await sources()).every(({ status }: { status: string }) => status === 'ready'));
  return async (text: string) => {
    const { parts, conversationId } = await send(path!, question(text), { 'x-api-key': key! });
    const each = (type: string) => parts.filter((part: Part) => part.type === type);
    return {
      text: textOf(parts),
      tools: each('tool-input-available').map(({ toolName }) => toolName),
      outputs: each('tool-output-available').map(({ output: value }) => value),
      sources: parts.filter(({ type }) => type.startsWith('source-')),
      conversationId,
    };
  };
}
