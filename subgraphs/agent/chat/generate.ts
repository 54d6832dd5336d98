import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { type Model, ProviderFault } from '../../../platform/model/index.ts';
import { isObject, parseExactly, storableJson } from '../../../schema/json.ts';
import type { Agent } from '../agents/entity.ts';
import type { Passage } from '../retrieval/retrieve.ts';
import type { CallableTool } from '../tools/callable.ts';
import type { ToolAnswer } from '../tools/entity.ts';
import { type Completion, streamCompletion, type WrittenCall } from './chat-completion.ts';
import { CitationFilter, CitedSources, pageWordIn, unsupportedSentences } from './citations.ts';
import { LinkFilter } from './link-filter.ts';
import { type MessagePart, type ToolPart, textOf } from './reply-store.ts';
import type { Reply, ReplyOutcome } from './running-replies.ts';

/** Rounds of tool calls in one reply; then the model must answer without them. */
const MAX_ROUNDS = 8;
/** Calls of one round; the model sees an error for the others. */
const MAX_CALLS = 16;
const TOO_MANY = { error: 'Too many calls at once.' };

export interface GenerationInput {
  model: Model;
  agent: Agent;
  messages: ChatCompletionMessageParam[];
  passages: readonly Passage[];
  tools: readonly CallableTool[];
  /** The steps that the reply has already, when it continues after an approval. */
  steps?: number;
  /** Whether a reply may link to a URL; undefined if it may link to all. */
  isLinkAllowed?(url: URL): boolean;
}

function lastQuestion(messages: readonly ChatCompletionMessageParam[]): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content : '';
}

/** Write a reply: completions and tool calls in turn, each source as soon as the answer cites it. */
export async function generate(reply: Reply, input: GenerationInput): Promise<ReplyOutcome> {
  const { model, agent, tools, passages, steps = 0, isLinkAllowed } = input;
  const sources = new CitedSources(passages, reply.chunks, pageWordIn(lastQuestion(input.messages)));
  const messages = [...input.messages];
  const usage = { inputTokens: 0, outputTokens: 0 };
  let answer = '';
  let unanswered = false;
  for (let round = steps; ; round += 1) {
    reply.push({ type: 'start-step' });
    const mayCall = tools.length > 0 && round < MAX_ROUNDS;
    const step = new Step(reply, round, sources, { showsCalls: mayCall, isLinkAllowed });
    const request = {
      messages,
      temperature: agent.temperature,
      maxTokens: agent.maxTokensPerMessage,
      ...(tools.length > 0 && { tools: tools.map(described), tool_choice: mayCall ? ('auto' as const) : ('none' as const) }),
    };
    const completion = await streamCompletion(model, agent.modelType, request, step, reply.signal);
    step.end();
    usage.inputTokens += completion.inputTokens;
    usage.outputTokens += completion.outputTokens;
    answer += `${completion.text}\n`;
    sources.markRepeated(answer);
    reply.push(...sources.take());
    unanswered ||= step.isUnanswered;
    if (completion.text.trim() === '' && !mayCall) throw new ProviderFault('it sent an empty answer');
    if (completion.calls.length === 0 || !mayCall) {
      reply.push({ type: 'finish-step' });
      const unsupported = unsupportedSentences(answer, sources.all);
      const products = unanswered ? [] : sources.productsIn(answer);
      return { status: 'complete', model: completion.model, ...usage, unanswered, unsupported, cited: sources.ids, products };
    }
    const called = await callTools(reply, completion, step, { agent, tools, sources });
    reply.push({ type: 'finish-step' });
    if (called.isWaiting) return { status: 'complete', model: completion.model, ...usage, cited: sources.ids };
    messages.push(...called.messages);
  }
}

const described = ({ name, description, inputSchema }: CallableTool): ChatCompletionTool => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

/** Streams one completion into the reply. */
class Step {
  readonly #filter: CitationFilter;
  readonly #links: LinkFilter | undefined;
  readonly #showsCalls: boolean;
  readonly #textId: string;
  #isOpen = false;

  constructor(
    private readonly reply: Reply,
    private readonly round: number,
    private readonly sources: CitedSources,
    { showsCalls, isLinkAllowed }: { showsCalls: boolean } & Pick<GenerationInput, 'isLinkAllowed'>,
  ) {
    this.#showsCalls = showsCalls;
    this.#links = isLinkAllowed && new LinkFilter(isLinkAllowed);
    this.#textId = `text-${round + 1}`;
    this.#filter = new CitationFilter(sources.count);
  }

  get isUnanswered(): boolean {
    return this.#filter.isUnanswered;
  }

  /** Ids of providers may repeat in a reply. */
  callId(id: string): string {
    return `${this.round + 1}-${id}`;
  }

  text(delta: string): void {
    const text = this.#filter.write(delta);
    this.#write(this.#links ? this.#links.write(text) : text);
    this.#cite();
  }

  toolCall({ id, name }: { id: string; name: string }): void {
    this.end();
    if (this.#showsCalls) this.reply.push({ type: 'tool-input-start', toolCallId: this.callId(id), toolName: name });
  }

  end(): void {
    const text = this.#filter.end();
    this.#write(this.#links ? this.#links.write(text) + this.#links.end() : text);
    if (this.#isOpen) this.reply.push({ type: 'text-end', id: this.#textId });
    this.#isOpen = false;
    this.#cite();
  }

  #write(delta: string): void {
    if (delta === '') return;
    if (!this.#isOpen) this.reply.push({ type: 'text-start', id: this.#textId });
    this.#isOpen = true;
    this.reply.push({ type: 'text-delta', id: this.#textId, delta });
    this.sources.follow(delta);
  }

  /** Text and its sources are stored together, so that a reply of a killed process has them, too. */
  #cite(): void {
    this.sources.mark(this.#filter.cited);
    this.reply.push(...this.sources.take());
  }
}

interface Callee {
  agent: Agent;
  tools: readonly CallableTool[];
  sources: CitedSources;
}

/**
 * Run the calls of a completion concurrently. Returns the messages that show their results to the model, and whether the reply must wait for
 * the approval of a call.
 */
async function callTools(
  reply: Reply,
  { text, calls }: Completion,
  step: Step,
  callee: Callee,
): Promise<{ messages: ChatCompletionMessageParam[]; isWaiting: boolean }> {
  let isWaiting = false;
  const results = await Promise.all(
    calls.map(async (call, nth): Promise<ChatCompletionMessageParam> => {
      const toolCallId = step.callId(call.id);
      const input = readArguments(call);
      reply.push({ type: 'tool-input-available', toolCallId, toolName: call.name, input: input ?? {} });
      const called = nth < MAX_CALLS ? await runTool(reply, call, input, toolCallId, callee) : TOO_MANY;
      if ('approvalId' in called) {
        isWaiting = true;
        reply.push({ type: 'tool-approval-request', approvalId: called.approvalId, toolCallId });
        return toolMessage(call.id, { error: 'It waits for an approval.' });
      }
      const result = storableJson(called, -1);
      if ('error' in result) reply.push({ type: 'tool-output-error', toolCallId, errorText: result.error });
      else reply.push({ type: 'tool-output-available', toolCallId, output: result.output });
      return toolMessage(call.id, result);
    }),
  );
  const tool_calls = calls.map(({ id, name, arguments: written }) => ({
    id,
    type: 'function' as const,
    // Providers reject a history with invalid JSON.
    function: { name, arguments: isJson(written) ? written : '{}' },
  }));
  return { messages: [{ role: 'assistant', content: text || null, tool_calls }, ...results], isWaiting };
}

/** The result of a call as the model sees it. */
function toolMessage(id: string, result: ToolAnswer): ChatCompletionMessageParam {
  const text = 'error' in result ? `Error: ${result.error}` : (JSON.stringify(result.output) ?? 'null');
  // The end of the element cannot be in it.
  const content = `<untrusted>\n${text.replaceAll('<', '\\u003c')}\n</untrusted>`;
  return { role: 'tool', tool_call_id: id, content };
}

const NOT_APPROVED = 'The call was not approved, and nothing was sent. Do not call it again unless the user asks for it.';
const NO_RESULT = 'The call has no result.';

/** The steps of a reply as the model saw them, with the results of their calls. */
export function messagesOf(parts: readonly MessagePart[]): ChatCompletionMessageParam[] {
  const messages: ChatCompletionMessageParam[] = [];
  const steps: MessagePart[][] = [];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  }
  for (const step of steps) {
    const text = textOf(step);
    const calls = step.filter((part): part is ToolPart => part.type.startsWith('tool-'));
    if (calls.length === 0 && text === '') continue;
    const tool_calls = calls.map(({ type, toolCallId, input }) => ({
      id: toolCallId,
      type: 'function' as const,
      function: { name: type.slice('tool-'.length), arguments: JSON.stringify(input ?? {}) },
    }));
    messages.push({ role: 'assistant', content: text || null, ...(tool_calls.length > 0 && { tool_calls }) });
    for (const { toolCallId, state, output, errorText } of calls) {
      const error = state === 'output-denied' ? NOT_APPROVED : (errorText ?? NO_RESULT);
      messages.push(toolMessage(toolCallId, state === 'output-available' ? { output } : { error }));
    }
  }
  return messages;
}

async function runTool(
  { ref, signal }: Reply,
  { name }: WrittenCall,
  input: object | undefined,
  toolCallId: string,
  { tools, sources }: Callee,
) {
  const tool = tools.find((each) => each.name === name);
  if (!tool) return { error: `There is no tool named ${name}.` };
  if (!input) return { error: 'The arguments are not a JSON object.' };
  const { id: messageId, conversationId } = ref;
  const result = await tool.call(input, { conversationId, messageId, toolCallId, signal, cite: (source) => sources.add(source) });
  signal.throwIfAborted();
  return result;
}

function readArguments({ arguments: written }: WrittenCall): object | undefined {
  try {
    const value = parseExactly(written || '{}');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
