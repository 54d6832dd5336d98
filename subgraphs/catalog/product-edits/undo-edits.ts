import { isDeepStrictEqual } from 'node:util';
import type { Provenances } from '../attributes/attribute-content.ts';
import type { EditedProduct, EditField } from './apply-edits.ts';
import type { EditChanges } from './entity.ts';

/** The changes that restore the content before a bulk edit, and the names of the contents that others changed since. */
export interface Undo {
  changes: EditChanges;
  origins: Provenances;
  left: string[];
}

/**
 * Undoes the changes that a job made to a product, except for what others changed since.
 * @param parents the ids among earlier parents that are parents now
 */
export function undoChanges(product: EditedProduct, done: EditChanges, parents: ReadonlySet<string>): Undo {
  const undo: Undo = { changes: { fields: {}, values: {} }, origins: {}, left: [] };
  for (const [name, { before, after }] of Object.entries(done.fields)) {
    const field = name as EditField;
    const current = product.fields[field];
    const isLost = field === 'parentId' && before !== null && (product.isParent || !parents.has(String(before)));
    if (current !== after || isLost) undo.left.push(field);
    else undo.changes.fields[field] = { before: current, after: before };
  }
  for (const [slug, { before, origin, after, afterOrigin }] of Object.entries(done.values)) {
    const current = product.attributes[slug] ?? null;
    const currentOrigin = product.provenance[slug] ?? null;
    const isUntouched =
      isDeepStrictEqual(current?.value ?? null, after?.value ?? null) && isDeepStrictEqual(currentOrigin, afterOrigin);
    if (!isUntouched) {
      undo.left.push(after?.attributeName ?? before?.attributeName ?? slug);
      continue;
    }
    undo.changes.values[slug] = { before: current, origin: currentOrigin, after: before, afterOrigin: before && origin };
    if (before && origin) undo.origins[slug] = origin;
  }
  return undo;
}
