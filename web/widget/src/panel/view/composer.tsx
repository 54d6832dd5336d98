import { useRef, useState } from 'preact/hooks';
import { isComposing } from '../../../../shared/composing.ts';
import { MAX_LENGTH } from '../chat/message.ts';
import { usePanel } from './context.ts';
import type { OpenForm } from './forms.ts';
import { useStore } from './hooks.ts';
import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';

interface ComposerProps {
  draft: string;
  onDraft(text: string): void;
  onForm(form: OpenForm): void;
}

/** The input of the visitor. Enter sends, Shift and Enter starts a new line. */
export function Composer({ draft, onDraft, onForm }: ComposerProps) {
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
      <Menu onForm={onForm} />
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
