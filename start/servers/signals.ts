import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Call `stop` once on a signal that ends the process, then exit with code 1. Returns a function that removes the handler. */
export function stopOnSignal(stop: () => Promise<unknown>): () => void {
  let isStopping = false;
  const end = () => {
    if (isStopping) return;
    isStopping = true;
    void stop().finally(() => exitNow(1));
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** They may arrive twice, because a supervisor signals all processes of a service, and a parent passes the signal on. */
const REPEATED = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Call `close` once on a signal or an uncaught error, and exit after `delay` milliseconds at the latest. A second Ctrl-C or error exits at
 * once.
 * @param onLate called before an exit that does not wait for `close`
 */
export function closeOnce(delay: number, close: (error?: Error) => Promise<void>, onLate: () => void = () => {}): void {
  let isClosing = false;
  const giveUp = () => {
    onLate();
    exitNow(1);
  };
  const closing = closeWithGrace(
    { delay: false, skip: [...REPEATED], onSecondSignal: giveUp, onSecondError: giveUp },
    async ({ err }) => {
      isClosing = true;
      void wait(delay).then(giveUp);
      await close(err);
      exitNow(err ? 1 : 0);
    },
  );
  for (const signal of REPEATED) process.on(signal, () => void (isClosing || closing.close()));
}

/**
 * End the process at once. `process.exit` waits for the threads of the process, which may be stuck for minutes, for example in the lookup of
 * a name or in a file on a hung disk. So another program, which ends immediately, replaces the process.
 */
export function exitNow(code: number): never {
  process.emit('exit', code);
  if (process.platform !== 'win32') process.execve!(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {});
  return process.exit(code);
}
