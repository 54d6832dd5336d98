const FIRST_DELAY = 1_000;
const MAX_DELAY = 30_000;

/**
 * Wait before the next attempt, longer after each failure, with jitter. Ends early when the browser is online again, unless the server
 * named the seconds to wait.
 */
export function backOff(failures: number, retryAfter = 0): Promise<void> {
  const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
  if (retryAfter > 0) return new Promise((resolve) => setTimeout(resolve, Math.max(delay, retryAfter * 1_000)));
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
