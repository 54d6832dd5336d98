import { clock } from '../database/index.ts';

/** Seconds of a `Retry-After` header, which contains seconds or an HTTP date; null if it is absent or malformed. */
export function retryAfterOf(header: string | undefined): number | null {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - clock.ms()) / 1_000);
  return Number.isNaN(seconds) ? null : Math.max(seconds, 0);
}
