import type { Dispatcher } from 'undici';

type Controller = Dispatcher.DispatchController;

/** One answer on its way, read whole: no stream, no promise per part. Settles once. */
export class AnswerHandler implements Dispatcher.DispatchHandler {
  private parts: Buffer[] = [];
  private controller?: Controller;
  private readonly deadline: number;
  private status = 0;

  /**
   * @param timeoutMs for the whole answer: undici's own time-outs are for pauses, and a subgraph that trickles would pass them
   * @param readsFailures accept an answer of status 5xx that holds GraphQL errors
   */
  constructor(
    private readonly resolve: (text: string) => void,
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

  /** The caller is gone. */
  handleEvent(): void {
    this.controller?.abort(new Error('The caller is gone'));
  }

  onResponseStart(controller: Controller, status: number): void {
    this.status = status;
    if (status >= 500 && !this.readsFailures) controller.abort(failed(status));
  }

  onResponseData(controller: Controller, part: Buffer): void {
    this.parts.push(part);
    if (performance.now() > this.deadline) controller.abort(new Error('The subgraph takes too long'));
  }

  onResponseEnd(): void {
    const [first] = this.parts;
    const text = this.parts.length === 1 ? first!.toString() : Buffer.concat(this.parts).toString();
    this.letGo();
    if (this.status >= 500 && !holdsErrors(text)) this.reject(failed(this.status));
    else this.resolve(text);
  }

  onResponseError(_: Controller, error: Error): void {
    this.letGo();
    this.reject(error);
  }

  /** What points at each other outlives collections of the young, and there are many of these. */
  private letGo(): void {
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
