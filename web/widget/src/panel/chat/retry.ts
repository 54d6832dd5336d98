const FIRST_DELAY = 1_000;
const MAX_DELAY = 30_000;

/** Wait before the next attempt, longer after each failure, with jitter. Ends early when the browser is online again. */
export function backOff(failures: number): Promise<void> {
  const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, delay);
    addEventListener('online', end);
  });
}
