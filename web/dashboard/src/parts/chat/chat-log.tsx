import { ActionIcon, Group, Stack } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isComposing } from '../../../../shared/composing.ts';
import { LongText } from '../forms-and-dialogs.tsx';
import { useUnsaved } from '../leaving.ts';
import classes from './chat.module.css';
import { type Snippet, useSnippets } from './snippets.tsx';

/** Distance from the end, in pixels, within which the log follows new messages. */
const NEAR = 80;

interface Props {
  label: string;
  /** Changes with each new message or part. */
  version: unknown;
  children: ReactNode;
}

/** The messages of a conversation. It stays at the newest one unless the reader scrolled up. */
export function ChatLog({ label, version, children }: Props) {
  const log = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new content scrolls.
  useEffect(() => {
    if (follows.current) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [version]);
  useEffect(() => {
    // Pages of messages arrive in any order, and tables and code grow after they appear.
    const observer = new ResizeObserver(() => {
      if (follows.current) log.current?.scrollTo({ top: log.current.scrollHeight });
    });
    observer.observe(content.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={log}
      role="log"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the log scrolls, also by keyboard.
      tabIndex={0}
      className={classes.log}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      <Stack ref={content} gap="sm" align="flex-start">
        {children}
      </Stack>
    </div>
  );
}

interface ComposerProps {
  maxLength?: number;
  label: string;
  placeholder?: string;
  disabled?: boolean;
  /** Resolves to false to keep the text, after a failure. */
  onSend(text: string): Promise<boolean> | boolean;
  onTyping?(): void;
  action: string;
  initialText?: string;
  /** Texts that `/` and a part of their names insert. */
  snippets?: readonly Snippet[];
}

/** The input of a chat: Enter sends, Shift+Enter starts a line. */
export function Composer({
  label,
  placeholder,
  disabled,
  onSend,
  onTyping,
  action,
  initialText = '',
  maxLength = 20_000,
  snippets = [],
}: ComposerProps) {
  const [text, setText] = useState(initialText);
  const field = useRef<HTMLTextAreaElement>(null);
  const list = useSnippets({ snippets, field, text, setText });
  useUnsaved(text.trim() !== '');
  const canSend = !disabled && text.trim() !== '';

  async function send() {
    if (!canSend) return;
    setText('');
    // The button, which is disabled now, cannot keep the focus.
    field.current?.focus();
    if (!(await onSend(text))) setText((later) => [text, later].filter(Boolean).join('\n'));
  }
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      {list.withList(
        <LongText
          ref={field}
          {...list.inputProps}
          flex={1}
          aria-label={label}
          placeholder={placeholder}
          rows={[1, 8]}
          maxLength={maxLength}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            onTyping?.();
          }}
          onKeyDown={(event) => {
            if (isComposing(event.nativeEvent)) return;
            if (list.takesKey(event)) return event.preventDefault();
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            void send();
          }}
        />,
      )}
      <ActionIcon size={36} aria-label={action} disabled={!canSend} onClick={send}>
        <IconSend size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
