import { Context } from '@temporalio/activity';

const INTERVAL = 4_000;

/**
 * Send heartbeats, so that Temporal retries the activity of a killed worker within seconds. The signal aborts when the process shuts down
 * or loses the activity, and with `stopsOnCancel` also when the workflow is canceled.
 */
export function startHeartbeat({ stopsOnCancel = false } = {}): { signal: AbortSignal; abort(reason: Error): void; stop(): void } {
  const context = Context.current();
  const controller = new AbortController();
  const checkCancellation = () => {
    const { cancelRequested, workerShutdown } = context.cancellationDetails ?? {};
    if (context.cancellationSignal.aborted && (stopsOnCancel || workerShutdown || !cancelRequested))
      controller.abort(context.cancellationSignal.reason);
  };
  context.cancellationSignal.addEventListener('abort', checkCancellation);
  const timer = setInterval(() => {
    context.heartbeat();
    checkCancellation();
  }, INTERVAL);
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), stop: () => clearInterval(timer) };
}
