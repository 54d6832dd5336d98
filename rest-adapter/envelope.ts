import type { Envelope } from './surface.ts';

/** Writes a payload into its envelope; the constant text around it is made once. */
export function writer({ with: constants = {}, under, inside }: Envelope): (payload: unknown) => string {
  const head = JSON.stringify(constants).slice(0, -1);
  const comma = head === '{' ? '' : ',';
  if (under !== undefined) {
    const keys = under.split('.');
    const before = `${head}${comma}${keys.map((key) => `${JSON.stringify(key)}:`).join('{')}`;
    const after = '}'.repeat(keys.length);
    const write = inside ? writer({ with: inside }) : (payload: unknown) => JSON.stringify(payload);
    return (payload) => before + write(payload) + after;
  }
  if (!comma) return (payload) => JSON.stringify(payload);
  return (payload) => {
    const text = JSON.stringify(payload);
    return text === '{}' ? `${head}}` : `${head},${text.slice(1)}`;
  };
}

type Edit = (node: unknown) => void;

/** Leaves out the nulls at the given paths. Lists on the way are gone through. */
export function nullOmitter(paths: readonly string[] = []): Edit {
  const edits = paths.map((path) => omitAt(path.split('.')));
  return (payload) => {
    for (const edit of edits) edit(payload);
  };
}

function omitAt([key, ...rest]: string[]): Edit {
  const deeper = rest.length > 0 ? omitAt(rest) : undefined;
  const edit: Edit = (node) => {
    if (Array.isArray(node)) return node.forEach(edit);
    if (typeof node !== 'object' || node === null) return;
    const map = node as Record<string, unknown>;
    if (deeper) deeper(map[key!]);
    // JSON leaves out what is undefined; deleting a key would slow the object down.
    else if (map[key!] === null) map[key!] = undefined;
  };
  return edit;
}
