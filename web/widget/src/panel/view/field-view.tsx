import type { InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { usePanel } from './context.ts';
import { type FormField, inputName } from './forms.ts';

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

interface FieldViewProps {
  field: FormField;
  showOptional: boolean;
  readOnly: boolean;
}

/** One labeled field of a form. The browser checks types and required values. */
export function FieldView({ field, showOptional, readOnly }: FieldViewProps) {
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
