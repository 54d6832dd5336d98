import type { InputHTMLAttributes } from 'preact';
import { usePanel } from './context.ts';
import type { FormField } from './forms.ts';

/** HTML input types of the field types that are inputs, with the autofill hint. */
const INPUTS: Partial<Record<FormField['type'], InputHTMLAttributes<HTMLInputElement>>> = {
  text: { type: 'text' },
  email: { type: 'email', autocomplete: 'email' },
  phone: { type: 'tel', autocomplete: 'tel' },
  number: { type: 'number', step: 'any' },
  date: { type: 'date' },
};

/** One labeled field of a form. The browser checks types and required values. */
export function FieldView({ field, showOptional }: { field: FormField; showOptional: boolean }) {
  const { strings } = usePanel();
  const { name, label, type, required, options } = field;
  const text = (
    <span>
      {label}
      {!required && showOptional && type !== 'checkbox' && <small> ({strings.form.optional})</small>}
    </span>
  );
  if (type === 'checkbox')
    return (
      <label class="check">
        <input type="checkbox" name={name} required={required} /> {text}
      </label>
    );
  return (
    <label>
      {text}
      {type === 'textarea' && <textarea name={name} required={required} rows={4} maxLength={10_000} />}
      {type === 'select' && (
        <select name={name} required={required}>
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
          {...(name === 'name' && { autocomplete: 'name' })}
          name={name}
          required={required}
          maxLength={10_000}
        />
      )}
    </label>
  );
}
