import pg from 'pg';

const parseAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date | number;

/**
 * Parses a `timestamptz` as PostgreSQL writes it, such as `2026-11-22 18:00:01.123456+00`. Several times as fast as the parser of `pg`,
 * which still parses other zones, centuries and eras.
 */
export function parseTime(text: string): Date | number {
  const isUsual = text.charCodeAt(10) === SPACE && text.endsWith('+00') && !text.startsWith('00');
  if (!isUsual) return parseAny(text);
  const twoDigits = (at: number) => (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
  const milliseconds = text.length > 22 ? Number(text.slice(20, -3).slice(0, 3).padEnd(3, '0')) : 0;
  const year = twoDigits(0) * 100 + twoDigits(2);
  return new Date(Date.UTC(year, twoDigits(5) - 1, twoDigits(8), twoDigits(11), twoDigits(14), twoDigits(17), milliseconds));
}

const ZERO = 48;
const SPACE = 32;
