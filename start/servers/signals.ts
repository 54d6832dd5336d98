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
