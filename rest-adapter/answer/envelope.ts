import type { Envelope } from '../surface.ts';

/** Create a function that wraps the JSON text of a payload in its envelope. The constant text is computed once. */
export function writer({ with: constants = {}, under, inside }: Envelope): (payload: string) => string {
  const head = JSON.stringify(constants).slice(0, -1);
  const comma = head === '{' ? '' : ',';
  if (under !== undefined) {
    const keys = under.split('.');
    const before = `${head}${comma}${keys.map((key) => `${JSON.stringify(key)}:`).join('{')}`;
    const after = '}'.repeat(keys.length);
    const write = inside ? writer({ with: inside }) : (payload: string) => payload;
    return (payload) => before + write(payload) + after;
  }
  if (!comma) return (payload) => payload;
  return (payload) => (payload === '{}' ? `${head}}` : `${head},${payload.slice(1)}`);
}
