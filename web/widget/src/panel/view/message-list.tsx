import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Approval, newMessage } from '../chat/message.ts';
import { usePanel, useStore } from './hooks.ts';
import { Icon } from './icons.tsx';
import { MessageView } from './message-view.tsx';

/** Pixels from the end within which the list follows new text. */
const NEAR_END = 60;

/** The welcome message and the messages. Follows new text, unless the visitor scrolled up. */
export function MessageList() {
  const { conversation, config, strings } = usePanel();
  const { messages, isBusy, isLoading, handoff, operatorName, isOperatorTyping, seenTo, approvals, products } = useStore(
    conversation.store,
  );
  const list = useRef<HTMLElement>(null);
  const isFollowing = useRef(true);
  const [hasMore, setHasMore] = useState(false);
  const last = messages.at(-1);
  const { welcomeMessage: text } = config;
  const welcome = useMemo(() => newMessage({ key: 'welcome', role: 'assistant', text }), [text]);

  const scrollDown = () => list.current?.scrollTo({ top: list.current.scrollHeight });
  useLayoutEffect(() => {
    if (last?.role === 'user') isFollowing.current = true;
    if (isFollowing.current) scrollDown();
    else setHasMore(true);
  }, [messages, isOperatorTyping, isBusy, approvals, products]);
  useEffect(() => {
    // The list shrinks when a notice appears below it.
    const observer = new ResizeObserver(() => isFollowing.current && scrollDown());
    observer.observe(list.current!);
    return () => observer.disconnect();
  }, []);
  const showNew = () => {
    scrollDown();
    // The button disappears with the focus.
    list.current?.focus({ preventScroll: true });
  };
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = list.current!;
    isFollowing.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
    if (isFollowing.current) setHasMore(false);
  };

  const own = messages.findLast(({ role }) => role === 'user');
  const isAnswering = last?.role === 'assistant' && Boolean(last.text || last.tool);
  const isThinking = isBusy && handoff !== 'active' && !isAnswering;
  return (
    <div class="messages">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, also by keyboard. */}
      <section class="scroll" ref={list} onScroll={onScroll} tabIndex={0} aria-label={strings.messages}>
        <ul>
          {config.welcomeMessage && <MessageView key="welcome" message={welcome} isSeen={false} />}
          {messages.map((message) => (
            <MessageView
              key={message.key}
              message={message}
              products={message.id ? products.get(message.id) : undefined}
              isSeen={message === own && message.position !== undefined && message.position <= seenTo}
            />
          ))}
          <ApprovalCards />
          {isLoading && messages.length === 0 && <li class="note">{strings.loading}</li>}
          {isThinking && (
            <li class="message assistant">
              <span class="bubble dots" role="img" aria-label={strings.thinking}>
                <i />
                <i />
                <i />
              </span>
            </li>
          )}
          {isOperatorTyping && <li class="activity">{strings.handoff.typing(operatorName ?? strings.handoff.person)}</li>}
        </ul>
        {messages.length === 0 && !isLoading && <Suggestions />}
      </section>
      {hasMore && (
        <button type="button" class="more" onClick={showNew}>
          <Icon name="arrowDown" /> {strings.newMessages}
        </button>
      )}
    </div>
  );
}

function Suggestions() {
  const { conversation, config, strings, focusInput } = usePanel();
  if (config.suggestedMessages.length === 0) return null;
  const send = (text: string) => {
    conversation.send(text);
    focusInput();
  };
  return (
    <ul class="suggestions" aria-label={strings.suggestions}>
      {config.suggestedMessages.map((text) => (
        <li key={text}>
          <button type="button" dir="auto" onClick={() => send(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The calls of tools that wait for a decision. */
function ApprovalCards() {
  const { conversation } = usePanel();
  const { approvals } = useStore(conversation.store);
  return (
    <>
      {approvals.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
    </>
  );
}

/** The question of one call, with two buttons if the visitor decides. */
function ApprovalCard({ approval }: { approval: Approval }) {
  const { conversation, strings, focusInput } = usePanel();
  const { isBusy } = useStore(conversation.store);
  const { id, party, text } = approval;
  const title = party === 'visitor' ? strings.approval.title : strings.approval.team;
  const decide = (approved: boolean) => {
    void conversation.approvals.decide(approval, approved);
    // The buttons disappear with the focus.
    focusInput();
  };
  return (
    <li class="approval">
      <section aria-labelledby={`approval-${id}`}>
        <p id={`approval-${id}`} class="author">
          {title}
        </p>
        <p dir="auto" class="question">
          {text}
        </p>
        {party === 'visitor' && (
          <div class="choices">
            <button type="button" class="primary" disabled={isBusy} onClick={() => decide(true)}>
              {strings.approval.approve}
            </button>
            <button type="button" class="secondary" disabled={isBusy} onClick={() => decide(false)}>
              {strings.approval.refuse}
            </button>
          </div>
        )}
      </section>
    </li>
  );
}
