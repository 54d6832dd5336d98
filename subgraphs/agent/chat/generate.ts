import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { type Model, type ModelTier, ProviderFault, ProviderRefusal, type StreamRequest } from '../../../platform/model/index.ts';
import { isObject, parseExactly, storableJson } from '../../../schema/json.ts';
import type { Agent } from '../agents/entity.ts';
import type { Passage } from '../retrieval/retrieve.ts';
import type { CallableTool } from '../tools/callable.ts';
import { toolMessage } from './chat-prompt.ts';
import { CitationFilter, CitedSources, unsupportedSentences } from './citations.ts';
import { LinkFilter } from './link-filter.ts';
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
  const sources = new CitedSources(passages, reply.chunks, lastQuestion(input.messages));
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

/** A tool call as the model wrote it. */
interface WrittenCall {
  id: string;
  name: string;
  /** JSON text, which may be invalid. */
  arguments: string;
}

/** Receives a completion while it is written. */
interface CompletionSink {
  text(delta: string): void;
  toolCall(call: { id: string; name: string }): void;
}

interface Completion {
  text: string;
  calls: WrittenCall[];
  model: string;
  inputTokens: number;
  outputTokens: number;
}

const ATTEMPTS = 3;
const [FIRST_DELAY, LONGEST_DELAY] = [300, 4_000];
/** Milliseconds after which nobody waits for another attempt. */
const RETRIABLE_MS = 30_000;

/**
 * Stream one completion. While nothing has been written, it retries temporary errors and drops sampling parameters that the model does
 * not support. Throws `ProviderFault` or `ProviderRefusal`, and the reason of the signal.
 */
export async function streamCompletion(
  model: Model,
  tier: ModelTier,
  request: StreamRequest,
  sink: CompletionSink,
  signal: AbortSignal,
): Promise<Completion> {
  let current = request;
  const begun = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const reader = new CompletionReader(sink);
    try {
      for await (const chunk of model.stream(tier, current, signal)) reader.read(chunk);
      return reader.end();
    } catch (error) {
      if (signal.aborted || reader.hasWritten || attempt === ATTEMPTS) throw error;
      if (error instanceof ProviderRefusal && error.status === 400 && current.temperature !== undefined) {
        current = { ...current, temperature: undefined };
        continue;
      }
      if (!(error instanceof ProviderFault) || performance.now() - begun >= RETRIABLE_MS) throw error;
      await sleep(Math.min(error.retryAfterMs ?? FIRST_DELAY * 2 ** attempt, LONGEST_DELAY), undefined, { signal });
    }
  }
}

/** Providers may omit a count, or send something else. */
const countOf = (tokens: unknown): number =>
  Number.isInteger(tokens) && Number(tokens) >= 0 && Number(tokens) < 2 ** 31 ? Number(tokens) : 0;

class CompletionReader {
  hasWritten = false;
  #text = '';
  #model = '';
  #finishReason: string | undefined;
  #usage = { inputTokens: 0, outputTokens: 0 };
  readonly #calls = new Map<number, WrittenCall>();

  constructor(private readonly sink: CompletionSink) {}

  read({ model, usage, choices }: ChatCompletionChunk): void {
    this.#model = model || this.#model;
    if (usage) this.#usage = { inputTokens: countOf(usage.prompt_tokens), outputTokens: countOf(usage.completion_tokens) };
    const [choice] = choices ?? [];
    if (!choice) return;
    const { content, refusal, tool_calls } = choice.delta ?? {};
    const text = content ?? refusal;
    if (text) {
      this.hasWritten = true;
      this.#text += text;
      this.sink.text(text);
    }
    for (const call of tool_calls ?? []) this.#readCall(call);
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
  }

  #readCall({ index, id, function: written }: NonNullable<ChatCompletionChunk.Choice.Delta['tool_calls']>[number]): void {
    const known = this.#calls.get(index);
    if (known) known.arguments += written?.arguments ?? '';
    else if (written?.name) {
      const isTaken = !id || [...this.#calls.values()].some((call) => call.id === id);
      const call = { id: isTaken ? `call-${index}` : id, name: written.name, arguments: written.arguments ?? '' };
      this.#calls.set(index, call);
      this.hasWritten = true;
      this.sink.toolCall(call);
    }
  }

  end(): Completion {
    // A broken connection and a body that is no event stream both end like this.
    if (this.#finishReason === undefined) throw new ProviderFault('its answer ended early');
    const calls = [...this.#calls.values()];
    if (this.#text.trim() === '' && calls.length === 0) {
      if (this.#finishReason === 'content_filter') throw new ProviderRefusal('The model declined to answer.');
      throw new ProviderFault('it sent an empty answer');
    }
    return { text: this.#text, calls, model: this.#model, ...this.#usage };
  }
}
