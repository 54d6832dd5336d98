import { useEffect, useRef, useState } from 'preact/hooks';
import { usePanel } from './context.ts';
import { FieldView } from './field-view.tsx';
import { contactFields, type OpenForm, readValue, submitForm } from './forms.ts';
import { useCountdown } from './hooks.ts';

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
