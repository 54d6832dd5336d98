import { RULES } from '../../../subgraphs/agent/chat/chat-prompt.ts';
import { NO_ANSWER } from '../../../subgraphs/agent/chat/citations.ts';
import type { OfferedTool, PromptMessage } from '../openai-protocol.ts';
import { answerFromCatalog, hasCatalog, isCatalogTool } from './catalog-answers.ts';
import { answerFromPassages } from './passage-answers.ts';
import { type ChatAnswer, callTool, describeResult, isRequest, resultsAfter, toolFor } from './tool-calls.ts';

export type { ChatAnswer } from './tool-calls.ts';

/** Whether a question contains a product code such as `DD18` or `TV-JS18`. */
const hasCode = (question: string): boolean =>
  (question.match(/[\p{L}\d-]+/gu) ?? []).some((word) => /\d/.test(word) && /\p{L}/u.test(word));
const GREETING = /^\s*(hi|hello|hey|good (morning|afternoon|evening))\b[\s!.,]*$/i;

/** Answer a chat message of this service from its passages and tools; undefined for requests of other programs. */
export function answerChat(messages: readonly PromptMessage[], tools: readonly OfferedTool[]): ChatAnswer | undefined {
  const system = messages.find(({ role, text }) => role === 'system' && text.includes(RULES))?.text;
  if (system === undefined) return undefined;
  const questionIndex = messages.findLastIndex(({ role }) => role === 'user');
  const question = questionAt(messages, questionIndex);
  const results = resultsAfter(messages, questionIndex);
  const others = results.filter(({ tool }) => !isCatalogTool(tool));
  if (others.length > 0) return { content: others.map(describeResult).join(' ') };
  const unknown = { content: `${NO_ANSWER} I don't know the answer to that.` };
  if (results.length > 0) return answerFromCatalog(question, results, tools) ?? unknown;

  if (GREETING.test(question)) return { content: 'Hello! How can I help you?' };
  const tool = toolFor(
    question,
    tools.filter(({ name }) => !isCatalogTool(name)),
  );
  if (tool) return callTool(question, tool);
  const fromCatalog = () => (hasCatalog(tools) ? answerFromCatalog(question, [], tools) : undefined);
  const fromPassages = () => {
    const content = answerFromPassages(question, system);
    return content === undefined ? undefined : { content };
  };
  // A page may mention the product too, but the catalog has its values.
  const [first, second] = hasCode(question) ? [fromCatalog, fromPassages] : [fromPassages, fromCatalog];
  return first() ?? second() ?? unknown;
}

/** The text of a user message. When it answers a request for a parameter, the message before the request belongs to it. */
function questionAt(messages: readonly PromptMessage[], index: number): string {
  const text = messages[index]?.text ?? '';
  const [earlier, answer] = [messages[index - 2], messages[index - 1]];
  const isReply = earlier?.role === 'user' && answer?.role === 'assistant' && isRequest(answer.text);
  return isReply ? `${earlier.text} ${text}` : text;
}
