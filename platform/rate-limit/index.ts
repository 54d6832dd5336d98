/** Limits requests per minute, counted in the database for all processes. */
export { type Counted, RateLimit } from './rate-limit.ts';
export { cleanUpWindows, RateLimitStore } from './store.ts';
