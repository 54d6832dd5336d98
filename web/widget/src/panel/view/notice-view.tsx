import { usePanel } from './context.ts';
import { useCountdown, useStore } from './hooks.ts';

/** Faults and lost connections, above the input. */
export function NoticeView() {
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
