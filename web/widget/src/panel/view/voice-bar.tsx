import { usePanel } from './context.ts';
import { useStore } from './hooks.ts';

/** The state of the voice session, with its controls and captions. */
export function VoiceBar() {
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
