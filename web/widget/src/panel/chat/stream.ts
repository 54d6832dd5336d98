import { createParser } from 'eventsource-parser';

/** The parts of a reply that the widget shows; other types are ignored. */
export interface StreamPart {
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
