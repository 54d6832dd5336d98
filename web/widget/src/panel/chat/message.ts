import { createParser } from 'eventsource-parser';

/** A call of a tool about which somebody decides, as `GET /chat/{conversationId}/approvals` returns it. */
export interface Approval {
  id: string;
  /** The deciding party. */
  party: 'visitor' | 'operator';
  /** The question, as plain text. */
  text: string;
  status: 'pending' | 'refused' | 'expired' | 'withdrawn' | 'approved' | 'sending' | 'succeeded' | 'failed' | 'unclear';
}

export interface Source {
  id: string;
  title: string;
  url?: string;
}

/** A product as `GET /chat/{conversationId}/products` returns it. */
export interface Product {
  sku: string;
  name: string;
  brand: string | null;
  price: string | null;
  priceUnit: string | null;
  url: string | null;
  pictureUrl: string | null;
}

/** Tools with which the agent reads the catalog. */
const TOOLS: readonly string[] = ['search_products', 'read_product'];

const readsProducts = (tool: string | undefined): boolean => tool !== undefined && TOOLS.includes(tool);

/** Characters of a message of the visitor that the service accepts. */
export const MAX_LENGTH = 20_000;

/** One entry of the message list. `note` is a line of the widget itself. */
export interface Message {
  /** Stable while the message is shown. For messages of the visitor, the id that the service recognizes a retry by. */
  key: string;
  /** The id of the stored message. */
  id?: string;
  role: 'user' | 'assistant' | 'operator' | 'note';
  text: string;
  status: 'sending' | 'running' | 'complete' | 'failed';
  position?: number;
  authorName?: string | null;
  sources: readonly Source[];
  /** Whether the agent read products of the catalog for it. */
  hasProducts?: boolean;
  /** Name of the tool that the agent is using. */
  tool?: string;
  error?: string;
  rating?: 'up' | 'down' | null;
}

export const newMessage = (message: Partial<Message> & Pick<Message, 'key' | 'role'>): Message => ({
  text: '',
  status: 'complete',
  sources: [],
  ...message,
});

/** The reply after one more part of its stream. */
export function applyPart(reply: Message, part: StreamPart): Message {
  switch (part.type) {
    case 'text-start':
      return { ...reply, text: reply.text === '' ? '' : `${reply.text}\n\n`, tool: undefined };
    case 'text-delta':
      return { ...reply, text: reply.text + (part.delta ?? '') };
    case 'tool-input-start':
      return { ...reply, tool: part.toolName, hasProducts: reply.hasProducts || readsProducts(part.toolName) };
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
    case 'tool-approval-request':
      return { ...reply, tool: undefined };
    case 'source-url':
    case 'source-document':
      return {
        ...reply,
        sources: [...reply.sources, { id: part.sourceId ?? '', title: part.title || part.url || '', url: part.url }],
      };
    case 'error':
      return { ...reply, error: part.errorText, tool: undefined };
    default:
      return reply;
  }
}

export const isEmpty = ({ text, sources, error }: Message): boolean => text.trim() === '' && sources.length === 0 && !error;

/** A message as `GET /chat/{conversationId}` returns it. */
export interface StoredMessage {
  id: string;
  clientId: string | null;
  position: number;
  role: 'user' | 'assistant' | 'operator';
  status: 'complete' | 'running' | 'stopped' | 'failed';
  text: string;
  parts: StreamPart[];
  authorName: string | null;
  rating: 'up' | 'down' | null;
}

export function fromStored({ clientId, parts, status, ...stored }: StoredMessage, failedText: string): Message {
  const sources = parts
    .filter(({ type }) => type.startsWith('source-'))
    .reduce(applyPart, newMessage({ key: '', role: 'assistant' })).sources;
  return {
    ...stored,
    key: clientId ?? stored.id,
    status: status === 'running' ? 'running' : 'complete',
    sources,
    hasProducts: parts.some(({ type }) => type.startsWith('tool-') && readsProducts(type.slice('tool-'.length))),
    ...(status === 'failed' && { error: failedText }),
  };
}

/** The parts of a reply that the widget shows; other types are ignored. */
interface StreamPart {
  type: string;
  id?: string;
  messageId?: string;
  delta?: string;
  toolCallId?: string;
  toolName?: string;
  sourceId?: string;
  url?: string;
  title?: string;
  errorText?: string;
  /** Of a tool call in a stored message. */
  state?: string;
}

/** The connection ended before the reply did. */
export class Interrupted extends Error {}

/** Milliseconds without a byte after which a connection counts as lost. The service sends a comment every 10 seconds. */
const SILENCE = 25_000;
const END = '[DONE]';

/** The parts of a UI message stream. Throws `Interrupted` if it ends without its last event. */
export async function* readParts({ body }: Response): AsyncGenerator<StreamPart> {
  if (!body) throw new Interrupted();
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>).getReader();
  try {
    for (;;) {
      const { value, done } = await withinSilence(reader.read());
      if (done) throw new Interrupted();
      parser.feed(value);
      for (const data of events.splice(0)) {
        if (data === END) return;
        yield JSON.parse(data) as StreamPart;
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

async function withinSilence<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Interrupted()), SILENCE);
  });
  try {
    return await Promise.race([reading, silence]);
  } catch {
    throw new Interrupted();
  } finally {
    clearTimeout(timer);
  }
}
