import type { Message, Source } from '../chat/message.ts';
import { usePanel } from './context.ts';
import { useCountdown, useStore } from './hooks.ts';
import { Link } from './link.tsx';
import { Markdown } from './markdown.tsx';
import { memo } from './memo.ts';
import { Rating } from './rating.tsx';
import { safeUrl } from './safe-url.ts';

/** One message of the conversation, with its author for screen readers. */
export const MessageView = memo(function MessageView({ message, isSeen }: { message: Message; isSeen: boolean }) {
  const { conversation, config, strings } = usePanel();
  const { role, text, status, tool, error, sources } = message;
  if (role === 'note')
    return (
      <li class="note" dir="auto">
        {text}
      </li>
    );
  const author = role === 'user' ? strings.you : (message.authorName ?? config.name);
  return (
    <li class={`message ${role} ${status}`}>
      <span class={role === 'operator' ? 'author' : 'hidden'}>{author}</span>
      {text && <div class="bubble">{role === 'assistant' ? <Markdown text={text} /> : <p dir="auto">{text}</p>}</div>}
      {tool && <p class="activity">{toolText(strings, tool)}</p>}
      {sources.length > 0 && <Sources sources={sources} />}
      {error && (
        <p class="fault">
          {strings.error.reply} <RetryButton onClick={() => conversation.retry(message)} />
        </p>
      )}
      {role === 'assistant' && status === 'complete' && !error && message.id && <Rating message={message} />}
      {status === 'failed' && (
        <p class="fault">
          {strings.error.failed} <RetryButton onClick={() => conversation.resend(message)} />
        </p>
      )}
      {isSeen && <p class="seen">{strings.handoff.seen}</p>}
    </li>
  );
});

/** Disabled while the service would refuse a retry. A retry removes the button, so the input gets the focus. */
function RetryButton({ onClick }: { onClick(): void }) {
  const { conversation, strings, focusInput } = usePanel();
  const { notice } = useStore(conversation.store);
  const seconds = useCountdown(notice?.waitUntil);
  const retry = () => {
    onClick();
    focusInput();
  };
  return (
    <button type="button" class="plain" disabled={seconds > 0} onClick={retry}>
      {strings.error.retry}
    </button>
  );
}

function Sources({ sources }: { sources: readonly Source[] }) {
  const { strings } = usePanel();
  return (
    <div class="sources">
      <span>{strings.sources}</span>
      <ol>
        {sources.map(({ id, title, url }) => (
          <li key={id}>
            <Link href={url}>
              {title}
              {safeUrl(url) && <span class="hidden"> ({strings.opensInNewTab})</span>}
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}

function toolText({ tools, usingTool }: ReturnType<typeof usePanel>['strings'], name: string): string {
  return (Object.hasOwn(tools, name) && tools[name]) || usingTool(name.replaceAll('_', ' '));
}
