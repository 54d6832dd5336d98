import type { Endpoint } from '../chat/endpoint.ts';

export interface FormField {
  name: string;
  label: string;
  type: 'text' | 'textarea' | 'email' | 'phone' | 'number' | 'date' | 'checkbox' | 'select';
  required: boolean;
  options: string[];
}

export interface CustomForm {
  name: string;
  title: string;
  fields: FormField[];
}

/** The form that the visitor fills in. */
export type OpenForm = 'contact' | CustomForm;

const lists = new WeakMap<Endpoint, Promise<CustomForm[]>>();

/** The custom forms of the agent, read once per page. A failed request is repeated by the next call. */
export function listForms(endpoint: Endpoint): Promise<CustomForm[]> {
  const known = lists.get(endpoint);
  if (known) return known;
  const reading = endpoint.json<{ forms: CustomForm[] }>('forms').then(({ forms }) => forms);
  lists.set(endpoint, reading);
  reading.catch(() => lists.delete(endpoint));
  return reading;
}

/** The name of a field in the document. The prefix keeps a field such as `title` from shadowing a property of the form element. */
export const inputName = ({ name }: Pick<FormField, 'name'>): string => `field-${name}`;

/** The value of a field in the type that the service expects. Undefined for an empty one. */
export function readValue(field: FormField, data: FormData): string | number | boolean | undefined {
  const { type } = field;
  const text = data.get(inputName(field));
  if (type === 'checkbox') return text !== null;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return type === 'number' ? Number(text) : text.trim();
}

/** Send a form. Throws `Refusal` with the sentence of the service. */
export async function submitForm(
  endpoint: Endpoint,
  form: OpenForm,
  data: FormData,
  conversationId: string | undefined,
): Promise<void> {
  const fields = form === 'contact' ? contactFields({ name: '', email: '', phone: '' }) : form.fields;
  const values = Object.fromEntries(
    fields.map((field) => [field.name, readValue(field, data)] as const).filter(([, value]) => value !== undefined),
  );
  if (form === 'contact') await endpoint.submit('leads', { ...values, conversationId });
  else await endpoint.submit(`forms/${encodeURIComponent(form.name)}/submissions`, { values, conversationId });
}

/** The contact form has fixed fields. */
export const contactFields = (labels: { name: string; email: string; phone: string }): FormField[] =>
  (['name', 'email', 'phone'] as const).map((name) => ({
    name,
    label: labels[name],
    type: name === 'name' ? 'text' : name,
    required: false,
    options: [],
  }));
