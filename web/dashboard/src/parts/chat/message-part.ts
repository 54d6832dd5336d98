/** One part of a message in the format of the AI SDK, as far as the pages show it. */
export interface MessagePart {
  type: string;
  text?: string;
  toolCallId?: string;
  state?: 'input-streaming' | 'input-available' | 'output-available' | 'output-error';
  input?: unknown;
  output?: unknown;
  errorText?: string;
  sourceId?: string;
  url?: string;
  title?: string;
}

/** One part of the stream of a reply. */
export interface Chunk extends Omit<MessagePart, 'text'> {
  id?: string;
  delta?: string;
  toolName?: string;
}

/** The parts of a reply after one more chunk of its stream. */
export function withChunk(parts: readonly MessagePart[], chunk: Chunk): MessagePart[] {
  const { type, toolCallId, input, output, errorText } = chunk;
  const changed = (change: Partial<MessagePart>) =>
    parts.map((part) => (part.toolCallId !== undefined && part.toolCallId === toolCallId ? { ...part, ...change } : part));
  switch (type) {
    case 'text-start':
      return [...parts, { type: 'text', text: '' }];
    case 'text-delta': {
      const last = parts.findLastIndex((part) => part.type === 'text');
      return parts.map((part, index) => (index === last ? { ...part, text: `${part.text}${chunk.delta}` } : part));
    }
    case 'tool-input-start':
      return [...parts, { type: `tool-${chunk.toolName}`, toolCallId, state: 'input-streaming' }];
    case 'tool-input-available':
      return changed({ state: 'input-available', input });
    case 'tool-output-available':
      return changed({ state: 'output-available', output });
    case 'tool-output-error':
      return changed({ state: 'output-error', errorText });
    case 'source-url':
    case 'source-document':
      return [...parts, chunk];
    default:
      return [...parts];
  }
}

export const isToolCall = ({ type }: MessagePart): boolean => type.startsWith('tool-');
export const isSource = ({ type }: MessagePart): boolean => type.startsWith('source-');
/** The name of the tool of a call. */
export const toolNameOf = ({ type }: MessagePart): string => type.slice('tool-'.length);
