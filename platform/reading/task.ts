/** Why content was not read: the content itself, a limit, or too much other work. */
export type FaultReason = 'content' | 'time' | 'memory' | 'depth' | 'busy';

/** Content cannot be read. With the reason `content`, the message is for the sender of the content. */
export class ContentFault extends Error {
  readonly reason: FaultReason;

  constructor(message: string, { reason = 'content', ...options }: ErrorOptions & { reason?: FaultReason } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

/** A result of a task whose buffers are moved to the main thread. A copy would take their memory twice. */
export class Moved<T> {
  readonly value: T;
  readonly buffers: readonly ArrayBuffer[];

  constructor(value: T, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}
