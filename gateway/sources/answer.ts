import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

type Controller = Dispatcher.DispatchController;

/** The text of a response, and its `Cache-Control` header. */
export interface ReceivedText {
  text: string;
  cacheControl?: string;
}

/** Reads one HTTP response as text, without a stream or a promise per chunk. */
export class AnswerHandler implements Dispatcher.DispatchHandler {
  private parts: Buffer[] = [];
  private controller?: Controller;
  private readonly deadline: number;
  private status = 0;
  private cacheControl?: string;

  /**
   * @param timeoutMs for the whole response; undici's timeouts only limit pauses, so a slow trickle would pass them
   * @param readsFailures accept a 5xx response with GraphQL errors
   */
  constructor(
    private readonly resolve: (received: ReceivedText) => void,
    private readonly reject: (error: unknown) => void,
    timeoutMs: number,
    private readonly signal?: AbortSignal,
    private readonly readsFailures = false,
  ) {
    this.deadline = performance.now() + timeoutMs;
  }

  onRequestStart(controller: Controller): void {
    if (!this.signal) return;
    this.controller = controller;
    if (this.signal.aborted) this.handleEvent();
    else this.signal.addEventListener('abort', this);
  }

  /** Handles the abort event of the signal: the caller disconnected. */
  handleEvent(): void {
    this.controller?.abort(new Error('The caller is gone'));
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    this.cacheControl = headers['cache-control'];
    if (status >= 500 && !this.readsFailures) controller.abort(failed(status));
  }

  onResponseData(controller: Controller, part: Buffer): void {
    this.parts.push(part);
    if (performance.now() > this.deadline) controller.abort(new Error('The subgraph takes too long'));
  }

  onResponseEnd(): void {
    const [first] = this.parts;
    const text = this.parts.length === 1 ? first!.toString() : Buffer.concat(this.parts).toString();
    this.release();
    if (this.status >= 500 && !holdsErrors(text)) this.reject(failed(this.status));
    else this.resolve({ text, cacheControl: this.cacheControl });
  }

  onResponseError(_: Controller, error: Error): void {
    this.release();
    this.reject(error);
  }

  /** Break the reference cycle so that young-generation GC can free it. */
  private release(): void {
    if (this.controller) this.signal!.removeEventListener('abort', this);
    this.controller = undefined;
    this.parts = [];
  }
}

const failed = (status: number) => new Error(`The subgraph answered ${status}`);

function holdsErrors(text: string): boolean {
  try {
    const { errors } = JSON.parse(text) as { errors?: unknown };
    return Array.isArray(errors) && errors.length > 0;
  } catch {
    return false;
  }
}
