import { type CreateAttributeMutationVariables, type EditedAttributeFragment } from '../../../.graph/graphql.ts';

export type Attribute = EditedAttributeFragment;
type Type = Attribute['type'];
export type Subject = Attribute['subject'];
type Input = CreateAttributeMutationVariables['input'];
const bounds = ['minLength', 'maxLength', 'minWords', 'maxWords', 'min', 'max', 'minItems', 'maxItems'] as const;
type Bound = (typeof bounds)[number];
export const formats = ['title-case', 'lowercase', 'kebab-case', 'keywords', 'html-section'] as const;
/** The name of an attribute and the labels of its options in another language. */
export interface Translation {
  language: string;
  name: string;
  labels: Record<string, string>;
}
/** The fields of the form. A bound without a number is no limit. */
export type Values = {
  name: string;
  slug: string;
  subject: Subject;
  type: Type;
  prompt: string;
  categoryPrompt: string;
  isActive: boolean;
  options: string[];
  examples: string[];
  unit: string;
  bounds: Record<Bound, number | null>;
  format: (typeof formats)[number] | null;
  translations: Translation[];
};
export const hasOptions = (type: Type): boolean => type === 'select' || type === 'multiselect';
export const hasFormat = (type: Type): boolean => type === 'text' || type === 'html';
/** The bounds that apply to values of a type. */
export function boundsOf({ type, format }: Pick<Values, 'type' | 'format'>): Bound[] {
  if (type === 'number') return ['min', 'max'];
  if (type === 'multiselect') return ['minItems', 'maxItems'];
  if (!hasFormat(type)) return [];
  const ofText: Bound[] = ['minLength', 'maxLength', 'minWords', 'maxWords'];
  return format === 'keywords' ? [...ofText, 'minItems', 'maxItems'] : ofText;
}
/** The form of an attribute, or of a new one. */
export function valuesOf(attribute: Attribute | null, subject: Subject): Values {
  const limits = attribute?.constraints;
  return {
    name: attribute?.name ?? '',
    slug: attribute?.slug ?? '',
    subject: attribute?.subject ?? subject,
    type: attribute?.type ?? 'text',
    prompt: attribute?.prompt ?? '',
    categoryPrompt: attribute?.categoryPrompt ?? '',
    isActive: attribute?.isActive ?? true,
    options: attribute?.options ?? [],
    examples: attribute?.examples ?? [],
    unit: attribute?.unit ?? '',
    bounds: Object.fromEntries(bounds.map((bound) => [bound, limits?.[bound] ?? null])) as Values['bounds'],
    format: (limits?.format as Values['format']) ?? null,
    translations:
      attribute?.translations.map(({ language, name, options }) => ({
        language,
        name: name ?? '',
        labels: Object.fromEntries(options.map(({ option, label }) => [option, label])),
      })) ?? [],
  };
}
/** The input of an update, which cannot change subject, slug and type. */
export function changesOf(values: Values) {
  const limits = boundsOf(values).flatMap((bound) => (values.bounds[bound] === null ? [] : [[bound, values.bounds[bound]]]));
  return {
    name: values.name.trim(),
    prompt: values.prompt,
    categoryPrompt: values.categoryPrompt.trim() || null,
    isActive: values.isActive,
    options: hasOptions(values.type) ? values.options : [],
    examples: values.examples,
    unit: values.type === 'number' ? values.unit.trim() || null : null,
    constraints: {
      ...Object.fromEntries(limits),
      ...(hasFormat(values.type) && values.format ? { format: values.format } : {}),
    } as Input['constraints'],
    translations: values.translations.map(({ language, name, labels }) => ({
      language,
      name: name.trim() || null,
      options: values.options.flatMap((option) => (labels[option]?.trim() ? [{ option, label: labels[option].trim() }] : [])),
    })),
  };
}
