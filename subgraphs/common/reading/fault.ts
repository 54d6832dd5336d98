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
