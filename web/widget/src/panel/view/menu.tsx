import { useEffect, useRef, useState } from 'preact/hooks';
import { usePanel } from './context.ts';
import { type CustomForm, listForms, type OpenForm } from './forms.ts';
import { useStore } from './hooks.ts';
import { Icon } from './icons.tsx';

/** A button that discloses the other ways to reach the business: a person, the contact form, custom forms. */
export function Menu({ onForm }: { onForm(form: OpenForm): void }) {
  const { conversation, config, strings } = usePanel();
  const { handoff } = useStore(conversation.store);
  const [isOpen, setIsOpen] = useState(false);
  const [forms, setForms] = useState<CustomForm[]>([]);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // The panel stays open.
    event.stopPropagation();
    setIsOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    listForms(conversation.endpoint).then(setForms, () => {});
    const onPress = (event: Event) => root.current?.contains(event.composedPath()[0] as Node) || setIsOpen(false);
    const { current: menu } = root;
    addEventListener('pointerdown', onPress);
    menu?.addEventListener('keydown', closeOnEscape);
    return () => {
      removeEventListener('pointerdown', onPress);
      menu?.removeEventListener('keydown', closeOnEscape);
    };
  }, [isOpen]);
  const choose = (work: () => void) => () => {
    setIsOpen(false);
    button.current?.focus();
    work();
  };

  const isHandedOff = handoff === 'waiting' || handoff === 'active';
  return (
    <div class="menu" ref={root}>
      <button
        ref={button}
        type="button"
        class="icon"
        aria-label={strings.more}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <ul>
          {config.features.handoff && (
            <li>
              <button
                type="button"
                onClick={choose(() => void (isHandedOff ? conversation.handoff.end() : conversation.handoff.request()))}
              >
                <Icon name="person" /> {isHandedOff ? strings.handoff.end : strings.handoff.request}
              </button>
            </li>
          )}
          <li>
            <button type="button" onClick={choose(() => onForm('contact'))}>
              <Icon name="form" /> {strings.form.contact}
            </button>
          </li>
          {forms.map((form) => (
            <li key={form.name}>
              <button type="button" onClick={choose(() => onForm(form))}>
                <Icon name="form" /> {form.title}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
