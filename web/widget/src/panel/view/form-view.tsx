import type { InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Endpoint } from '../chat/chat-requests.ts';
import { useCountdown, usePanel } from './hooks.ts';

/** The contact form or a custom form, in place of the messages. */
export function FormView({ form, onDone }: { form: OpenForm; onDone(): void }) {
  const { conversation, strings } = usePanel();
  const [fault, setFault] = useState<ReturnType<typeof conversation.noticeOf>>();
  const [isSending, setIsSending] = useState(false);
  const seconds = useCountdown(fault?.waitUntil);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  const isContact = form === 'contact';
  const title = isContact ? strings.form.contact : form.title;
  const fields = isContact ? contactFields(strings.form) : form.fields;

  const isRefused = isSending || seconds > 0;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isRefused) return;
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const isNamed = fields.some((field) => field.name !== 'phone' && readValue(field, data) !== undefined);
    if (isContact && !isNamed) return setFault({ text: strings.form.nameOrEmail });
    setIsSending(true);
    setFault(undefined);
    try {
      await submitForm(conversation.endpoint, form, data, conversation.context.session.read().conversationId);
      conversation.note(strings.form.sent(title));
      onDone();
    } catch (error) {
      setFault(conversation.noticeOf(error));
      setIsSending(false);
    }
  };

  return (
    <form class="form scroll" onSubmit={(event) => void submit(event)}>
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      {fields.map((field) => (
        <FieldView key={field.name} field={field} showOptional={!isContact} readOnly={isSending} />
      ))}
      {fault && (
        <p class="fault" role="alert">
          {seconds > 0 ? strings.error.tooMany(seconds) : fault.text}
        </p>
      )}
      <div class="actions">
        <button type="button" class="secondary" onClick={onDone}>
          {strings.form.back}
        </button>
        <button type="submit" class="primary" aria-disabled={isRefused}>
          {strings.form.submit}
        </button>
      </div>
    </form>
  );
}

/** HTML input types of the field types that are inputs, with the autofill hint. */
const INPUTS: Partial<Record<FormField['type'], InputHTMLAttributes<HTMLInputElement>>> = {
  text: { type: 'text' },
  email: { type: 'email', autocomplete: 'email' },
  phone: { type: 'tel', autocomplete: 'tel' },
  number: { type: 'number', step: 'any' },
  date: { type: 'date' },
};
/** Characters that the service accepts in a value. */
const MAX_LENGTH = 10_000;

/** One labeled field of a form. The browser checks types and required values. */
function FieldView({ field, showOptional, readOnly }: { field: FormField; showOptional: boolean; readOnly: boolean }) {
  const { strings } = usePanel();
  const id = useId();
  const { label, type, required, options } = field;
  const name = inputName(field);
  if (type === 'checkbox')
    return (
      <div class="check">
        <input id={id} type="checkbox" name={name} required={required} />
        <label for={id}>{label}</label>
      </div>
    );
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && showOptional && <small> ({strings.form.optional})</small>}
      </label>
      {type === 'textarea' && (
        <textarea id={id} name={name} required={required} readOnly={readOnly} rows={4} maxLength={MAX_LENGTH} />
      )}
      {type === 'select' && (
        <select id={id} name={name} required={required}>
          <option value="">{strings.form.choose}</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      )}
      {INPUTS[type] && (
        <input
          {...INPUTS[type]}
          {...(field.name === 'name' && { autocomplete: 'name' })}
          id={id}
          name={name}
          required={required}
          readOnly={readOnly}
          maxLength={MAX_LENGTH}
        />
      )}
    </div>
  );
}

interface FormField {
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
const inputName = ({ name }: Pick<FormField, 'name'>): string => `field-${name}`;

/** The value of a field in the type that the service expects. Undefined for an empty one. */
function readValue(field: FormField, data: FormData): string | number | boolean | undefined {
  const { type } = field;
  const text = data.get(inputName(field));
  if (type === 'checkbox') return text !== null;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return type === 'number' ? Number(text) : text.trim();
}

/** Send a form. Throws `Refusal` with the sentence of the service. */
async function submitForm(endpoint: Endpoint, form: OpenForm, data: FormData, conversationId: string | undefined): Promise<void> {
  const fields = form === 'contact' ? contactFields({ name: '', email: '', phone: '' }) : form.fields;
  const values = Object.fromEntries(
    fields.map((field) => [field.name, readValue(field, data)] as const).filter(([, value]) => value !== undefined),
  );
  if (form === 'contact') await endpoint.submit('leads', { ...values, conversationId });
  else await endpoint.submit(`forms/${encodeURIComponent(form.name)}/submissions`, { values, conversationId });
}

/** The contact form has fixed fields. */
const contactFields = (labels: { name: string; email: string; phone: string }): FormField[] =>
  (['name', 'email', 'phone'] as const).map((name) => ({
    name,
    label: labels[name],
    type: name === 'name' ? 'text' : name,
    required: false,
    options: [],
  }));
