import type { Ref } from 'preact';
import { useState } from 'preact/hooks';
import { isComposing } from '../../../../shared/composing.ts';
import { Composer } from './composer.tsx';
import { usePanel } from './context.ts';
import { trapFocus } from './focus-trap.ts';
import { FormView } from './form-view.tsx';
import type { OpenForm } from './forms.ts';
import { useStore } from './hooks.ts';
import { Icon } from './icons.tsx';
import { MessageList } from './message-list.tsx';
import { NoticeView } from './notice-view.tsx';
import { VoiceBar } from './voice-bar.tsx';

const TITLE = 'chat-title';

/** The dialog with the conversation. Hidden rather than removed while it is closed, so that a draft and the scroll position stay. */
export function PanelView({ isOpen, language, dialog }: { isOpen: boolean; language: string; dialog: Ref<HTMLDivElement> }) {
  const { conversation, config, strings, close, focusInput } = usePanel();
  const { announcement, handoff, operatorName } = useStore(conversation.store);
  const [form, setForm] = useState<OpenForm>();
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
          <p>{handoff === 'active' && operatorName ? operatorName : strings.assistant}</p>
        </div>
        <button type="button" class="icon" aria-label={strings.closeChat} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {form ? <FormView form={form} onDone={closeForm} /> : <MessageList />}
      <NoticeView />
      <VoiceBar />
      {!form && <Composer draft={draft} onDraft={setDraft} onForm={setForm} />}
      {config.branding.poweredByVisible === true && <footer>{strings.poweredBy}</footer>}
      <div class="hidden" role="status" aria-live="polite">
        {announcement}
      </div>
    </div>
  );
}
