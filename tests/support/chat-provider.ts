import { createServer, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

/** The body of a request for a completion, as far as tests read it. */
export interface CompletionRequest {
  model: string;
  messages: { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { function: { name: string; description?: string; parameters?: { properties?: object } } }[];
  tool_choice?: string;
  temperature?: number;
  max_tokens?: number;
  stream?: boolean;
}

/** The result of a tool without the marks around it. */
export function resultIn({ content }: CompletionRequest['messages'][number]): string {
  const [, result] = /^<untrusted>\n(.*)\n<\/untrusted>$/s.exec(content ?? '') ?? [];
  if (result === undefined) throw new Error(`The result is not marked: ${content}`);
  return result;
}

/** Writes one response of the provider. */
export class ScriptedResponse {
  #isOpen = false;

  constructor(readonly response: ServerResponse) {}

  /** Whether the client closed the connection. */
  get isAborted(): boolean {
    return this.response.destroyed;
  }

  text(content: string): this {
    return this.chunk({ delta: { content }, finish_reason: null });
  }

  call(index: number, id: string | undefined, name: string | undefined, written: string): this {
    return this.chunk({ delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: written } }] } });
  }

  finish(reason = 'stop'): void {
    this.chunk({ delta: {}, finish_reason: reason });
    this.raw(`data: ${JSON.stringify({ model: 'stub', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}\n\n`);
    this.response.end('data: [DONE]\n\n');
  }

  chunk(choice: object): this {
    return this.raw(
      `data: ${JSON.stringify({ id: 'c', model: 'stub', choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`,
    );
  }

  raw(text: string): this {
    if (!this.#isOpen) this.response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#isOpen = true;
    this.response.write(text);
    return this;
  }

  /** Answer a request without streaming. */
  complete(content: string): void {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    this.response.setHeader('content-type', 'application/json').end(JSON.stringify({ model: 'stub', choices }));
  }

  refuse(status: number, headers: Record<string, string> = {}): void {
    this.response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.response.end(JSON.stringify({ error: { message: `status ${status}`, code: null } }));
  }
}

type Script = (response: ScriptedResponse, request: CompletionRequest, times: number) => unknown;

/** A model provider whose completions follow a script, selected by a word in the last user message. */
export async function startChatProvider() {
  const scripts = new Map<string, Script>();
  const requests = new Map<string, CompletionRequest[]>();
  const sessions: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.url!.endsWith('/realtime/client_secrets')) {
      const { session } = JSON.parse(text);
      sessions.push(session);
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ value: 'ek_test', expires_at: 2_000_000_000, session }));
    }
    if (request.url!.endsWith('/embeddings')) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${process.env.TEST_PROVIDER}/embeddings`, { method: 'POST', headers, body: text });
      return void response.setHeader('content-type', 'application/json').end(await answer.text());
    }
    const body = JSON.parse(text) as CompletionRequest;
    const question = body.messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const name = [...scripts.keys()].find((each) => question.includes(each));
    if (name === undefined) return void new ScriptedResponse(response).text(`Echo: ${question}`).finish();
    const seen = requests.get(name) ?? [];
    requests.set(name, [...seen, body]);
    await scripts.get(name)!(new ScriptedResponse(response), body, seen.length + 1);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** Answer questions that contain this word. */
    on(word: string, script: Script) {
      scripts.set(word, script);
    },
    /** Voice sessions that were requested. */
    sessions,
    requests: (word: string) => requests.get(word) ?? [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type ChatProvider = Awaited<ReturnType<typeof startChatProvider>>;
