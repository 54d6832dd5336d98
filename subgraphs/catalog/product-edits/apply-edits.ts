import { isDeepStrictEqual } from 'node:util';
import type { EnumValue } from '../../../schema/enums.ts';
import { ONE_LINE } from '../../../schema/text.ts';
import type { AttributeContent, AttributeValue, AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { isTooLarge, MAX_BYTES } from '../attributes/service.ts';
import { withoutNulls } from '../enrichment/ask-model.ts';
import { checkValue } from '../extraction/constraints.ts';
import type { EditChanges, FieldContent, ProductEdit } from './entity.ts';

type EditField = EnumValue<'ProductEditField'>;

/** The texts that can be edited, with their greatest lengths. */
const TEXTS = { name: 256, manufacturer: 256, mpn: 128, uom: 128, brand: 128, category: 1_024 } as const;
type TextField = keyof typeof TEXTS;
export const isText = (field: string): field is TextField => Object.hasOwn(TEXTS, field);

/** A product with the values that the edits concern. */
export interface EditedProduct {
  id: string;
  sku: string;
  externalId: string | null;
  isParent: boolean;
  fields: Record<EditField, FieldContent>;
  attributes: AttributeValues;
  provenance: Provenances;
  /** The bytes of its other values, by `catalog.values_size`. */
  otherBytes: number;
}

/** The attributes of the edits, by slug. Those that were deleted are missing. */
export type Definitions = ReadonlyMap<string, Attribute>;

const TOO_LARGE = 'The values are too large';

/** A product stays as it is; the message says why. */
export class EditRefusal extends Error {}

/** The changes that edits make to a product. Throws `EditRefusal` if one of them would make it invalid. */
export function applyEdits(product: EditedProduct, edits: readonly ProductEdit[], definitions: Definitions): EditChanges {
  const fields = { ...product.fields };
  const values = new Map<string, AttributeValue | null>();
  for (const edit of edits) {
    if (edit.field) fields[edit.field] = editField(product, fields[edit.field], edit, edit.field);
    else {
      const slug = edit.attribute!;
      const known = values.has(slug) ? values.get(slug)! : (product.attributes[slug] ?? null);
      values.set(slug, editValue(known, edit, definitions.get(slug), slug));
    }
  }
  const changes: EditChanges = { fields: {}, values: {} };
  for (const field of Object.keys(fields) as EditField[])
    if (fields[field] !== product.fields[field]) changes.fields[field] = { before: product.fields[field], after: fields[field] };
  for (const [slug, after] of values) {
    const before = product.attributes[slug] ?? null;
    if (isDeepStrictEqual(before?.value ?? null, after?.value ?? null)) continue;
    changes.values[slug] = { before, origin: product.provenance[slug] ?? null, after, afterOrigin: null };
  }
  if (Object.keys(changes.values).length > 0) {
    const edited = { ...product.attributes, ...Object.fromEntries(values) };
    const present = Object.entries(edited).flatMap(([slug, value]) => (value ? [[slug, value] as const] : []));
    if (isTooLarge(Object.fromEntries(present), product.otherBytes)) throw new EditRefusal(TOO_LARGE);
  }
  return changes;
}

export const isUnchanged = ({ fields, values }: EditChanges): boolean =>
  Object.keys(fields).length + Object.keys(values).length === 0;

function editField(product: EditedProduct, content: FieldContent, edit: ProductEdit, field: EditField): FieldContent {
  const after = edit.action === 'clear' ? null : (edited(content, edit, 'text') as FieldContent);
  if (after === content) return content;
  if (field === 'parentId') {
    if (after === product.id) throw new EditRefusal('A product cannot be its own parent');
    if (after !== null && product.isParent) throw new EditRefusal('A parent cannot become a variant');
  }
  if (!isText(field)) return after;
  const text = (after as string | null) || null;
  const fault = faultOfText(field, text);
  if (fault) throw new EditRefusal(fault);
  return text;
}

/** The fault of the text of a field, as a sentence; undefined if it is valid. */
export function faultOfText(field: TextField, text: string | null): string | undefined {
  if (text === null) return field === 'name' ? 'The name must not be empty' : undefined;
  if (text.length > TEXTS[field]) return `The text of ${field} has more than ${TEXTS[field]} characters`;
  return field === 'name' && !ONE_LINE.test(text) ? 'The name must be one line' : undefined;
}

function editValue(known: AttributeValue | null, edit: ProductEdit, attribute: Attribute | undefined, slug: string) {
  if (edit.action === 'clear') return null;
  if (!attribute) throw new EditRefusal(`The attribute ${slug} was deleted`);
  const { id, name, type } = attribute;
  // A value that was written before the type of its attribute changed.
  if (edit.action !== 'set' && known && known.attributeType !== type) throw new EditRefusal(`${name} has another type`);
  const value = edited(known?.value ?? null, edit, type);
  if (value === null || isDeepStrictEqual(value, known?.value)) return value === null ? null : known;
  const fault = faultOfValue(attribute, value);
  if (fault) throw new EditRefusal(`${name} ${fault}`);
  return { attributeId: id, attributeName: name, attributeType: type, value };
}

/** The fault of a value, as a sentence without a subject, or null. */
export const faultOfValue = ({ type, options, constraints }: Attribute, value: AttributeContent): string | null =>
  checkValue({ type, options, constraints: withoutNulls(constraints) }, value);

/** The content after one edit. Without a content, only `set` has an effect. */
function edited(content: AttributeContent, edit: ProductEdit, type: string): AttributeContent {
  if (edit.action === 'set') return edit.value!;
  if (content === null) return null;
  if (edit.action === 'multiply')
    return typeof content === 'number' ? rounded(content * edit.factor!, edit.decimals ?? 6) : content;
  if (typeof content === 'string') return editText(content, edit) || null;
  if (type !== 'multiselect' || !Array.isArray(content)) return content;
  const labels = [...new Set(content.map((label) => editText(label, edit)).filter(Boolean))];
  return labels.length > 0 ? labels : null;
}

const rounded = (value: number, decimals: number): number => (Number.isFinite(value) ? Number(value.toFixed(decimals)) : value);

function editText(text: string, { action, value, find, replacement, ignoreCase }: ProductEdit): string {
  if (action === 'prefix') return `${value}${text}`;
  if (action === 'suffix') return `${text}${value}`;
  let written = 0;
  const replace = () => {
    written += replacement?.length ?? 0;
    if (written > MAX_BYTES) throw new EditRefusal(TOO_LARGE);
    return replacement ?? '';
  };
  return ignoreCase ? text.replace(new RegExp(RegExp.escape(find!), 'giu'), replace) : text.replaceAll(find!, replace);
}

/** The changes that restore the content before a bulk edit, and the names of the contents that others changed since. */
interface Undo {
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
