import { isObject, type JsonObject } from '../../schema/json.ts';
import { NO_ANSWER } from '../../subgraphs/agent/chat/citations.ts';
import { RULES } from '../../subgraphs/agent/chat/prompt.ts';
import type { Message, Tool } from './protocol.ts';
import { sentencesOf } from './reading/passages.ts';
import { tokensOf } from './reading/words.ts';

/** An answer as text, or the call of a tool. */
export type ChatAnswer = { content: string } | { call: { name: string; input: JsonObject } };

const COMMON = new Set(
  'a an and any are be can could do does for from have how i in is it me my of on or please tell that the there this to was what when where which who why will with you your'.split(
    ' ',
  ),
);
/** Share of the question's words that a passage must contain. */
const ENOUGH = 0.4;
const MAX_SENTENCES = 2;

/** Answer a chat message of this service from its passages and tools; undefined for requests of other programs. */
export function answerChat(messages: readonly Message[], tools: readonly Tool[]): ChatAnswer | undefined {
  const system = messages.find(({ role, text }) => role === 'system' && text.includes(RULES))?.text;
  if (system === undefined) return undefined;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const question = messages[asked]?.text ?? '';
  const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool');
  if (results.length > 0) return { content: results.map(({ text }) => `The tool answered: ${readable(text)}.`).join(' ') };
  const tool = toolFor(question, tools);
  if (tool) return { call: { name: tool.name, input: inputFor(question, tool) } };
  if (/^\s*(hi|hello|hey|good (morning|afternoon|evening))\b[\s!.,]*$/i.test(question))
    return { content: 'Hello! How can I help you?' };
  return { content: answerFromPassages(question, system) ?? `${NO_ANSWER} I don't know the answer to that.` };
}

function answerFromPassages(question: string, system: string): string | undefined {
  const wanted = wordsOf(question);
  if (wanted.size === 0) return undefined;
  const passages = [...system.matchAll(/<passage number="(\d+)" heading="([^"]*)">\n([\s\S]*?)\n<\/passage>/g)];
  const scored = passages
    .map(([, number, heading, text]) => ({
      number,
      text: text!.replaceAll('&lt;', '<'),
      score: overlap(wanted, `${heading} ${text}`),
    }))
    .sort((a, b) => b.score - a.score);
  const [best] = scored;
  if (!best || best.score < ENOUGH) return undefined;
  // A question of a knowledge source is followed by its answer.
  const lines = best.text.split('\n').flatMap(sentencesOf);
  const answers = lines.filter((line) => !line.trim().endsWith('?'));
  const chosen = answers
    .map((line, index) => ({ line, index, score: overlap(wanted, line) }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, MAX_SENTENCES)
    .filter(({ score }, index) => index === 0 || score >= ENOUGH)
    .sort((a, b) => a.index - b.index);
  return chosen.map(({ line }) => `${line.trim()} [${best.number}]`).join(' ') || undefined;
}

/** A tool whose name or description shares a word with the question. */
function toolFor(question: string, tools: readonly Tool[]): Tool | undefined {
  const wanted = wordsOf(question);
  const scored = tools.map((tool) => ({ tool, score: shared(wanted, `${tool.name.replaceAll('_', ' ')} ${tool.description}`) }));
  const [best] = scored.sort((a, b) => b.score - a.score);
  return best && best.score >= 2 ? best.tool : undefined;
}

/** Fill the parameters from the question: numbers and codes first, else its text. */
function inputFor(question: string, { parameters }: Tool): JsonObject {
  const properties = isObject(parameters.properties) ? parameters.properties : {};
  const codes = question.match(/\b[\p{L}-]*\d[\p{L}\d-]*\b/gu) ?? [];
  const values = Object.entries(properties).map(([name, schema]): [string, unknown] => {
    const { type, enum: choices } = isObject(schema) ? schema : {};
    if (Array.isArray(choices))
      return [name, choices.find((choice) => question.toLowerCase().includes(String(choice).toLowerCase()))];
    const code = codes.shift();
    if (type === 'number' || type === 'integer') return [name, Number(code?.match(/\d+/)?.[0] ?? Number.NaN)];
    return [name, code ?? question];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && !Number.isNaN(value)));
}

function readable(text: string): string {
  try {
    return flat(JSON.parse(text));
  } catch {
    return text;
  }
}

const flat = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(flat).join('; ');
  if (isObject(value))
    return Object.entries(value)
      .map(([key, each]) => `${key}: ${flat(each)}`)
      .join(', ');
  return String(value);
};

const wordsOf = (text: string) => new Set(tokensOf(text).filter((word) => !COMMON.has(word)));
const shared = (wanted: Set<string>, text: string) => [...wordsOf(text)].filter((word) => wanted.has(word)).length;
const overlap = (wanted: Set<string>, text: string) => shared(wanted, text) / wanted.size;
