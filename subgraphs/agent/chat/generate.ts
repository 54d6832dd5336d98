import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { type Model, ProviderFault } from '../../../platform/model/index.ts';
import { isObject, parseExactly, storableJson } from '../../../schema/json.ts';
import type { Agent } from '../agents/entity.ts';
import type { Passage } from '../retrieval/retrieve.ts';
import type { CallableTool } from '../tools/callable.ts';
import { type Completion, streamCompletion, type WrittenCall } from './chat-completion.ts';
import { CitationFilter, CitedSources, unsupportedSentences } from './citations.ts';
import type { Outcome } from './finish.ts';
import type { Reply } from './running-replies.ts';

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
}

/** Write a reply: completions and tool calls in turn, then the sources that the answer cites. */
export async function generate(reply: Reply, input: GenerationInput): Promise<Outcome> {
  const { model, agent, tools } = input;
  const sources = new CitedSources(input.passages);
  const messages = [...input.messages];
  const usage = { inputTokens: 0, outputTokens: 0 };
  let answer = '';
  let unanswered = false;
  for (let round = 0; ; round += 1) {
    reply.push({ type: 'start-step' });
    const mayCall = tools.length > 0 && round < MAX_ROUNDS;
    const step = new Step(reply, round, sources.count, mayCall);
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
    sources.mark(step.cited);
    answer += `${completion.text}\n`;
    unanswered ||= step.isUnanswered;
    if (completion.text.trim() === '' && !mayCall) throw new ProviderFault('it sent an empty answer');
    if (completion.calls.length === 0 || !mayCall) {
      reply.push(...sources.chunks(), { type: 'finish-step' });
      const unsupported = unsupportedSentences(answer, sources.all);
      return { status: 'complete', model: completion.model, ...usage, unanswered, unsupported };
    }
    messages.push(...(await callTools(reply, completion, step, { tools, sources })));
    reply.push({ type: 'finish-step' });
  }
}

const described = ({ name, description, inputSchema }: CallableTool): ChatCompletionTool => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

/** Streams one completion into the reply. */
class Step {
  readonly #filter: CitationFilter;
  readonly #textId: string;
  #isOpen = false;

  constructor(
    private readonly reply: Reply,
    private readonly round: number,
    sourceCount: number,
    private readonly showsCalls: boolean,
  ) {
    this.#textId = `text-${round + 1}`;
    this.#filter = new CitationFilter(sourceCount);
  }

  get cited(): ReadonlySet<number> {
    return this.#filter.cited;
  }

  get isUnanswered(): boolean {
    return this.#filter.isUnanswered;
  }

  /** Ids of providers may repeat in a reply. */
  callId(id: string): string {
    return `${this.round + 1}-${id}`;
  }

  text(delta: string): void {
    this.#write(this.#filter.write(delta));
  }

  toolCall({ id, name }: { id: string; name: string }): void {
    this.end();
    if (this.showsCalls) this.reply.push({ type: 'tool-input-start', toolCallId: this.callId(id), toolName: name });
  }

  end(): void {
    this.#write(this.#filter.end());
    if (this.#isOpen) this.reply.push({ type: 'text-end', id: this.#textId });
    this.#isOpen = false;
  }

  #write(delta: string): void {
    if (delta === '') return;
    if (!this.#isOpen) this.reply.push({ type: 'text-start', id: this.#textId });
    this.#isOpen = true;
    this.reply.push({ type: 'text-delta', id: this.#textId, delta });
  }
}

/** Run the calls of a completion concurrently. Returns the messages that show their results to the model. */
async function callTools(
  reply: Reply,
  { text, calls }: Completion,
  step: Step,
  { tools, sources }: { tools: readonly CallableTool[]; sources: CitedSources },
): Promise<ChatCompletionMessageParam[]> {
  const results = await Promise.all(
    calls.map(async (call, nth): Promise<ChatCompletionMessageParam> => {
      const toolCallId = step.callId(call.id);
      const input = readArguments(call);
      reply.push({ type: 'tool-input-available', toolCallId, toolName: call.name, input: input ?? {} });
      const result = storableJson(nth < MAX_CALLS ? await runTool(reply, call, input, { tools, sources }) : TOO_MANY, -1);
      if ('error' in result) {
        reply.push({ type: 'tool-output-error', toolCallId, errorText: result.error });
        return { role: 'tool', tool_call_id: call.id, content: `Error: ${result.error}` };
      }
      reply.push({ type: 'tool-output-available', toolCallId, output: result.output });
      return { role: 'tool', tool_call_id: call.id, content: JSON.stringify(result.output) ?? 'null' };
    }),
  );
  const tool_calls = calls.map(({ id, name, arguments: written }) => ({
    id,
    type: 'function' as const,
    // Providers reject a history with invalid JSON.
    function: { name, arguments: isJson(written) ? written : '{}' },
  }));
  return [{ role: 'assistant', content: text || null, tool_calls }, ...results];
}

async function runTool(
  { ref, signal }: Reply,
  { name }: WrittenCall,
  input: object | undefined,
  { tools, sources }: { tools: readonly CallableTool[]; sources: CitedSources },
) {
  const tool = tools.find((each) => each.name === name);
  if (!tool) return { error: `There is no tool named ${name}.` };
  if (!input) return { error: 'The arguments are not a JSON object.' };
  const result = await tool.call(input, { conversationId: ref.conversationId, signal, cite: (source) => sources.add(source) });
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
