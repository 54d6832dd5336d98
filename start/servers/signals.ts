import closeWithGrace from 'close-with-grace';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Call `stop` once on a signal that ends the process, then exit with code 1. Returns a function that removes the handler. */
export function stopOnSignal(stop: () => Promise<unknown>): () => void {
  let isStopping = false;
  const end = () => {
    if (isStopping) return;
    isStopping = true;
    void stop().finally(() => process.exit(1));
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** They may arrive twice, because a supervisor signals all processes of a service, and a parent passes the signal on. */
const REPEATED = ['SIGTERM', 'SIGHUP'] as const;

/** Call `close` once on a signal or an uncaught error, and exit after `delay` milliseconds at the latest. A second Ctrl-C exits at once. */
export function closeOnce(delay: number, close: (error?: Error) => Promise<void>): void {
  let isClosing = false;
  const closing = closeWithGrace({ delay, skip: [...REPEATED] }, async ({ err }) => {
    isClosing = true;
    await close(err);
  });
  for (const signal of REPEATED) process.on(signal, () => void (isClosing || closing.close()));
}
