import type { FormFieldInput } from '../../../../.graph/graphql.ts';
import type { Form } from './documents.ts';

/** A field while it is edited. */
export interface Field extends Required<FormFieldInput> {
  /** Stable while name, label and position change. */
  id: string;
  /** The name follows the label until the user edits it. */
  isNew: boolean;
}

export interface Values {
  title: string;
  name: string;
  enabled: boolean;
  fields: Field[];
}

let last = 0;
const nextId = () => `field-${++last}`;

export const newField = (): Field => ({
  id: nextId(),
  isNew: true,
  name: '',
  label: '',
  type: 'text',
  required: false,
  options: [],
});

/** The values of the editor of a form, or of a new one. */
export const valuesOf = (form: Form | null): Values => ({
  title: form?.title ?? '',
  name: form?.name ?? '',
  enabled: form?.enabled ?? true,
  fields: form?.fields.map((field) => ({ ...field, id: nextId(), isNew: false })) ?? [newField()],
});

/** The fields as the server takes them. Only a choice has options. */
export const fieldsOf = ({ fields }: Values): FormFieldInput[] =>
  fields.map(({ name, label, type, required, options }) => ({
    name,
    label: label.trim(),
    type,
    required,
    options: type === 'select' ? options : [],
  }));

const ascii = (text: string) => text.replaceAll('ß', 'ss').normalize('NFD').replace(/\p{M}/gu, '');

/** A key from a label, such as `phoneNumber` for "Phone number". */
export const fieldKeyOf = (label: string): string =>
  ascii(label)
    .replace(/[^a-zA-Z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '')
    .replace(/^[^a-zA-Z]+/, '')
    .replace(/^./, (first) => first.toLowerCase())
    .slice(0, 64);

/** A key from a title, such as `call-me-back` for "Call me back". */
export const formKeyOf = (title: string): string =>
  ascii(title)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64);
