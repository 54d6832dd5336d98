/** The parts of a reply as they are streamed: the UI message stream of the AI SDK. No other keys are allowed. */
export type Chunk =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' | 'finish-step' | 'finish' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  // Only for tools that need an approval: clients before AI SDK 6 do not know these.
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }
  | { type: 'error'; errorText: string };

/** A part of a stored message, as the clients of the AI SDK read it. */
export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'step-start' }
  | ToolPart
  | Extract<Chunk, { type: 'source-url' | 'source-document' }>;

export interface ToolPart {
  type: `tool-${string}`;
  toolCallId: string;
  state: 'input-streaming' | 'input-available' | 'approval-requested' | 'output-available' | 'output-error' | 'output-denied';
  approval?: { id: string; approved?: boolean };
  input?: unknown;
  output?: unknown;
  errorText?: string;
}

/** Merge the chunks of a reply into the parts of its message. */
export function toParts(chunks: readonly Chunk[]): MessagePart[] {
  const parts: MessagePart[] = [];
  const texts = new Map<string, { type: 'text'; text: string }>();
  const tools = new Map<string, ToolPart>();
  const add = <P extends MessagePart>(part: P): P => {
    parts.push(part);
    return part;
  };
  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'start-step':
        add({ type: 'step-start' });
        break;
      case 'text-start':
        texts.set(chunk.id, add({ type: 'text', text: '' }));
        break;
      case 'text-delta':
        texts.get(chunk.id)!.text += chunk.delta;
        break;
      case 'tool-input-start':
        tools.set(
          chunk.toolCallId,
          add({ type: `tool-${chunk.toolName}`, toolCallId: chunk.toolCallId, state: 'input-streaming' }),
        );
        break;
      case 'tool-input-available':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'input-available', input: chunk.input });
        break;
      case 'tool-approval-request':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'approval-requested', approval: { id: chunk.approvalId } });
        break;
      case 'tool-output-available':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'output-available', output: chunk.output });
        decided(tools.get(chunk.toolCallId)!, true);
        break;
      case 'tool-output-error':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'output-error', errorText: chunk.errorText });
        decided(tools.get(chunk.toolCallId)!, true);
        break;
      case 'tool-output-denied':
        Object.assign(tools.get(chunk.toolCallId)!, { state: 'output-denied' });
        decided(tools.get(chunk.toolCallId)!, false);
        break;
      case 'source-url':
      case 'source-document':
        add(chunk);
    }
  }
  return parts;
}

function decided({ approval }: ToolPart, approved: boolean): void {
  if (approval) approval.approved = approved;
}

/** The text of a message without its other parts. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts
    .flatMap((part) => (part.type === 'text' ? [(part as { text: string }).text] : []))
    .join('\n\n')
    .trim();

/** The chunks after which a tool call is not open: its result, or the wait for an approval. */
const CLOSING: readonly Chunk['type'][] = [
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
  'tool-approval-request',
];

/** The chunks that complete an interrupted stream: end open texts and tool calls, report the error, and finish. */
export function closingChunks(chunks: readonly Chunk[], errorText?: string): Chunk[] {
  const closing: Chunk[] = [];
  const texts = new Set<string>();
  const tools = new Map<string, { toolName: string; hasInput: boolean }>();
  let isStepOpen = false;
  let isFinished = false;
  for (const chunk of chunks) {
    // A reply that waited for an approval has finished before, and continues.
    isFinished = chunk.type === 'finish' || (isFinished && chunk.type !== 'start');
    if (chunk.type === 'start-step') isStepOpen = true;
    if (chunk.type === 'finish-step') isStepOpen = false;
    if (chunk.type === 'text-start') texts.add(chunk.id);
    if (chunk.type === 'text-end') texts.delete(chunk.id);
    if (chunk.type === 'tool-input-start') tools.set(chunk.toolCallId, { toolName: chunk.toolName, hasInput: false });
    if (chunk.type === 'tool-input-available') tools.get(chunk.toolCallId)!.hasInput = true;
    if (CLOSING.includes(chunk.type)) tools.delete((chunk as { toolCallId: string }).toolCallId);
  }
  if (isFinished) return [];
  for (const id of texts) closing.push({ type: 'text-end', id });
  for (const [toolCallId, { toolName, hasInput }] of tools) {
    if (!hasInput) closing.push({ type: 'tool-input-available', toolCallId, toolName, input: {} });
    closing.push({ type: 'tool-output-error', toolCallId, errorText: 'The reply ended before the tool answered.' });
  }
  if (!isStepOpen && errorText !== undefined) closing.push({ type: 'start-step' });
  if (errorText !== undefined) closing.push({ type: 'error', errorText });
  if (isStepOpen || errorText !== undefined) closing.push({ type: 'finish-step' });
  closing.push({ type: 'finish' });
  return closing;
}
