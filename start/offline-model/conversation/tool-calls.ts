import { isObject, type JsonObject } from '../../../schema/json.ts';
import { HANDOFF_TOOL } from '../../../subgraphs/agent/handoff/handoff-tool.ts';
import { TICKET_TOOL } from '../../../subgraphs/agent/tickets/ticket-tool.ts';
import type { OfferedTool, PromptMessage } from '../openai-protocol.ts';
import { meaningfulWords } from '../reading/synonyms.ts';
import { shared } from './passage-answers.ts';

/** Tools that bring a person, the best one first. */
const PERSON_TOOLS = [HANDOFF_TOOL, TICKET_TOOL];
const WANTS_PERSON =
  /\b(?:(?:talk|speak|chat|write) (?:to|with) (?:a |an |some)?(?:person|human|someone|somebody|agent|operator|colleague|one)|real (?:person|human)|human being|support ticket|(?:raise|open|create) (?:a |an )?ticket|complain(?:t)?)\b/i;
/** Parameters that take a whole sentence. */
const PROSE = /subject|description|message|question|query|text|summary|reason/i;
const EMAIL = /[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}\.[a-z]{2,24}/i;

/** Parameters that take a number or code of the question. */
const CODE = /number|code|sku|id$/i;

/** The tool that a question calls for: one that brings a person, or one that shares two words with it, or a word and a code. */
export function toolFor(question: string, tools: readonly OfferedTool[]): OfferedTool | undefined {
  if (WANTS_PERSON.test(question)) {
    const [best] = PERSON_TOOLS.flatMap((name) => tools.find((tool) => tool.name === name) ?? []);
    if (best) return best;
  }
  const wanted = meaningfulWords(question);
  const scored = tools
    .filter(({ name }) => !PERSON_TOOLS.includes(name))
    .map((tool) => {
      const words = shared(wanted, `${tool.name.replaceAll('_', ' ')} ${tool.description}`);
      // The first word of a name is often the verb, such as “cancel”.
      const isNamed = shared(wanted, tool.name.split('_')[0]!);
      return { tool, score: words + (words > 0 && /\d/.test(question) && takesCode(tool) ? 1 : 0), isNamed };
    });
  const [best] = scored.sort((a, b) => b.score - a.score || b.isNamed - a.isNamed);
  return best && best.score >= 2 ? best.tool : undefined;
}

const takesCode = ({ parameters }: OfferedTool): boolean =>
  isObject(parameters.properties) && Object.keys(parameters.properties).some((name) => CODE.test(name));

const ASKS_FOR = 'Please tell me your';

/** Whether an answer asks for a parameter of a tool. */
export const isRequest = (answer: string): boolean => answer.startsWith(ASKS_FOR);

/** Call a tool, or ask for a parameter that the question does not contain. */
export function callTool(question: string, tool: OfferedTool): ChatAnswer {
  const input = inputFor(question, tool);
  const required = Array.isArray(tool.parameters.required) ? tool.parameters.required.map(String) : [];
  const missing = required.find((name) => !Object.hasOwn(input, name));
  if (missing) return { content: `${ASKS_FOR} ${readableName(missing)}, and I will take care of it.` };
  return { call: { name: tool.name, input } };
}

/** Fill the parameters from the question: e-mail addresses, numbers and codes first, else its text. */
function inputFor(question: string, { parameters }: OfferedTool): JsonObject {
  const properties = isObject(parameters.properties) ? parameters.properties : {};
  const required = new Set(Array.isArray(parameters.required) ? parameters.required : []);
  const words: string[] = question.replace(EMAIL, '').match(/[\p{L}\d]+(?:-[\p{L}\d]+)*/gu) ?? [];
  const codes = words.filter((word) => /\d/.test(word));
  const values = Object.entries(properties).map(([name, schema]): [string, unknown] => {
    const { type, enum: choices } = isObject(schema) ? schema : {};
    if (Array.isArray(choices))
      return [name, choices.find((choice) => question.toLowerCase().includes(String(choice).toLowerCase()))];
    if (/e-?mail/i.test(name)) return [name, EMAIL.exec(question)?.[0]];
    // A question names no person in a form that can be found without a language model.
    if (/name$/i.test(name) && !required.has(name)) return [name, undefined];
    if (PROSE.test(name)) return [name, question];
    const code = codes.shift();
    if (type === 'number' || type === 'integer') return [name, Number(code?.match(/\d+/)?.[0] ?? Number.NaN)];
    return [name, code ?? question];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && !Number.isNaN(value)));
}

const readableName = (name: string) =>
  /e-?mail/i.test(name)
    ? 'e-mail address'
    : name
        .replace(/([A-Z])/g, ' $1')
        .replaceAll('_', ' ')
        .toLowerCase();

/** The result of a tool as a sentence. */
export function describeResult({ tool, text }: ToolResult): string {
  if (text.startsWith('Error: ')) return `That did not work: ${text.slice('Error: '.length)}`;
  const { ticketNumber } = objectOf(text) ?? {};
  if (tool === TICKET_TOOL && ticketNumber) return `I have raised the ticket ${ticketNumber}. A person will reply by e-mail.`;
  return `The tool answered: ${readable(text)}.`;
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

/** An answer as text, or the call of a tool. */
export type ChatAnswer = { content: string } | { call: { name: string; input: JsonObject } };

/** The result of a tool call. */
export interface ToolResult {
  tool: string;
  text: string;
}

/** The mark of results. */
const UNTRUSTED = /^<untrusted>\n(.*)\n<\/untrusted>$/s;

/** The results of the tool calls after a message, in order. */
export function resultsAfter(messages: readonly PromptMessage[], index: number): ToolResult[] {
  const later = messages.slice(index + 1);
  const names = new Map(later.flatMap(({ calls = [] }) => calls.map(({ id, name }) => [id, name] as const)));
  return later
    .filter(({ role }) => role === 'tool')
    .map(({ text, callId }) => ({ tool: names.get(callId ?? '') ?? '', text: text.replace(UNTRUSTED, '$1') }));
}

/** The JSON object of a result, or undefined for errors and other texts. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
