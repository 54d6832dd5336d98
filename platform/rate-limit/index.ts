/** Limits requests per minute, counted in the database for all processes. */
export { type Counted, cleanUpWindows, RateLimit, RateLimitStore, refuseBeyond } from './rate-limit.ts';
