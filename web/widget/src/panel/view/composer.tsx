import { useEffect, useRef, useState } from 'preact/hooks';
import { isComposing } from '../../../../shared/composing.ts';
import { MAX_LENGTH } from '../chat/message.ts';
import { type CustomForm, listForms, type OpenForm } from './form-view.tsx';
import { usePanel, useStore } from './hooks.ts';
import { Icon } from './icons.tsx';

interface ComposerProps {
  draft: string;
  onDraft(text: string): void;
  onForm(form: OpenForm): void;
  onTickets(): void;
}

/** The input of the visitor. Enter sends, Shift and Enter starts a new line. */
export function Composer({ draft, onDraft, ...menu }: ComposerProps) {
  const { conversation, voice, config, strings, focusInput } = usePanel();
  const { isBusy, handoff } = useStore(conversation.store);
  const { phase } = useStore(voice.store);
  const input = useRef<HTMLTextAreaElement>(null);
  const [isStopping, setIsStopping] = useState(false);
  const mayStop = isBusy && handoff !== 'active';
  if (!isBusy && isStopping) setIsStopping(false);

  const submit = () => {
    if (mayStop || draft.trim() === '') return;
    conversation.send(draft);
    onDraft('');
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The Enter key that ends a composition of an input method does not send.
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    submit();
  };
  const stop = () => {
    if (isStopping) return;
    setIsStopping(true);
    conversation.stop();
  };

  const startVoice = () => {
    void voice.start();
    focusInput();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Menu {...menu} />
      <div class="grow" data-text={draft}>
        <textarea
          ref={input}
          rows={1}
          dir="auto"
          maxLength={MAX_LENGTH}
          aria-label={config.placeholder || strings.placeholder}
          placeholder={config.placeholder || strings.placeholder}
          value={draft}
          onInput={({ currentTarget }) => {
            onDraft(currentTarget.value);
            conversation.handoff.typing();
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {config.features.voice && phase === 'off' && (
        <button type="button" class="icon" aria-label={strings.voice.start} onClick={startVoice}>
          <Icon name="microphone" />
        </button>
      )}
      {mayStop ? (
        <button type="button" class="icon send" aria-label={strings.stop} aria-disabled={isStopping} onClick={stop}>
          <Icon name="stop" />
        </button>
      ) : (
        <button type="submit" class="icon send" aria-label={strings.send} aria-disabled={draft.trim() === ''}>
          <Icon name="send" />
        </button>
      )}
    </form>
  );
}

/** A button that discloses the other ways to reach the business: a person, the tickets, the contact form, custom forms. */
function Menu({ onForm, onTickets }: Pick<ComposerProps, 'onForm' | 'onTickets'>) {
  const { conversation, config, strings } = usePanel();
  const { handoff, messages, isBusy } = useStore(conversation.store);
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
          {config.features.handoff && (
            <li>
              <button type="button" onClick={choose(onTickets)}>
                <Icon name="form" /> {strings.tickets.title}
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
          {messages.length > 0 && !isBusy && !isHandedOff && (
            <li>
              <button type="button" onClick={choose(() => conversation.begin())}>
                <Icon name="send" /> {strings.newConversation}
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
