import type { Ref } from 'preact';
import { useState } from 'preact/hooks';
import { isComposing } from '../../../../shared/composing.ts';
import { awayText } from '../chat/transcript.ts';
import { Composer } from './composer.tsx';
import { FormView, type OpenForm } from './form-view.tsx';
import { useCountdown, usePanel, useStore } from './hooks.ts';
import { Icon } from './icons.tsx';
import { MessageList } from './message-list.tsx';
import { TicketsView } from './tickets-view.tsx';

const TITLE = 'chat-title';

/** The dialog with the conversation. Hidden rather than removed while it is closed, so that a draft and the scroll position stay. */
export function PanelView({ isOpen, language, dialog }: { isOpen: boolean; language: string; dialog: Ref<HTMLDivElement> }) {
  const { conversation, config, strings, close, focusInput } = usePanel();
  const { announcement, handoff, operatorName, place, visit } = useStore(conversation.store);
  const [form, setForm] = useState<OpenForm | 'tickets'>();
  const [draft, setDraft] = useState('');
  const closeForm = () => {
    setForm(undefined);
    focusInput();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !isComposing(event)) close();
    else trapFocus(event, event.currentTarget as HTMLElement);
    // Shortcuts of the page do not apply to what the visitor writes.
    event.stopPropagation();
  };

  return (
    <div
      class="panel"
      ref={dialog}
      role="dialog"
      aria-modal="true"
      aria-labelledby={TITLE}
      lang={language}
      hidden={!isOpen}
      onKeyDown={onKeyDown}
      tabIndex={-1}
    >
      <header>
        <span class="avatar" aria-hidden="true">
          {[...config.name][0]?.toUpperCase()}
        </span>
        <div>
          <h2 id={TITLE}>{config.name}</h2>
          <p>
            {handoff === 'active' && operatorName
              ? operatorName
              : handoff === 'waiting'
                ? strings.handoff.inLine(place)
                : strings.assistant}
          </p>
        </div>
        <button type="button" class="icon" aria-label={strings.closeChat} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {/* Another visitor must not see the tickets of the one before. */}
      {form === 'tickets' && <TicketsView key={visit} onDone={closeForm} />}
      {form && form !== 'tickets' && <FormView form={form} onDone={closeForm} />}
      {!form && <MessageList />}
      <AwayView />
      <NoticeView />
      <VoiceBar />
      {!form && <Composer draft={draft} onDraft={setDraft} onForm={setForm} onTickets={() => setForm('tickets')} />}
      {config.branding.poweredByVisible === true && <footer>{strings.poweredBy}</footer>}
      <div class="hidden" role="status" aria-live="polite">
        {announcement}
      </div>
    </div>
  );
}

/** When the team is back, while the visitor waits outside of its office hours. */
function AwayView() {
  const { conversation } = usePanel();
  const { handoff, away } = useStore(conversation.store);
  if (handoff !== 'waiting' || !away) return null;
  return (
    <p class="notice" dir="auto">
      {awayText(away, conversation.context)}
    </p>
  );
}

/** Faults and lost connections, above the input. */
function NoticeView() {
  const { conversation, strings, focusInput } = usePanel();
  const { notice, isLost } = useStore(conversation.store);
  const seconds = useCountdown(notice?.waitUntil);
  if (isLost)
    return (
      <p class="notice" role="status">
        {navigator.onLine ? strings.error.lost : strings.error.offline}
      </p>
    );
  if (!notice) return null;
  const retry = () => {
    notice.retry?.();
    focusInput();
  };
  return (
    <p class="notice" role="alert">
      <span>{seconds > 0 ? strings.error.tooMany(seconds) : notice.text}</span>
      {notice.retry && (
        <button type="button" class="plain" disabled={seconds > 0} onClick={retry}>
          {strings.error.retry}
        </button>
      )}
    </p>
  );
}

/** The state of the voice session, with its controls and captions. */
function VoiceBar() {
  const { voice, strings, focusInput } = usePanel();
  const { phase, isMuted, caption, fault } = useStore(voice.store);
  const end = () => {
    voice.end();
    focusInput();
  };
  if (fault)
    return (
      <p class="notice" role="alert">
        {fault}
      </p>
    );
  if (phase === 'off') return null;
  return (
    <section class="voice" aria-label={strings.voice.start}>
      <p role="status">
        {phase === 'connecting' ? strings.voice.connecting : strings.voice.listening}
        {caption && <q>{caption}</q>}
      </p>
      {phase === 'on' && (
        <button type="button" class="secondary" aria-pressed={isMuted} onClick={() => voice.toggleMute()}>
          {isMuted ? strings.voice.unmute : strings.voice.mute}
        </button>
      )}
      <button type="button" class="primary" onClick={end}>
        {strings.voice.end}
      </button>
    </section>
  );
}

const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex="0"]';

/** Keep the Tab key within an element of a shadow root. */
function trapFocus(event: KeyboardEvent, root: HTMLElement): void {
  if (event.key !== 'Tab') return;
  const all = [...root.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((each) => each.checkVisibility());
  const [first, last] = [all[0], all.at(-1)];
  const { activeElement } = root.getRootNode() as ShadowRoot;
  const isAtEnd = activeElement === (event.shiftKey ? first : last) || activeElement === root;
  if (!isAtEnd) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
