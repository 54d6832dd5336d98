import { ActionIcon, Combobox, Group, Stack, Text, useCombobox, VisuallyHidden } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactElement, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isComposing } from '../../../../shared/composing.ts';
import { useStrings } from '../../strings/strings.tsx';
import { LongText } from '../forms-and-dialogs.tsx';
import { useUnsaved } from '../leaving.ts';
import classes from './chat.module.css';

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

/** A text with a name by which it is inserted. */
export interface Snippet {
  name: string;
  text: string;
}

/** So many fit above the keyboard of a phone. Further letters of the name narrow the list. */
const MAX_SHOWN = 5;

interface Input {
  snippets: readonly Snippet[];
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  setText(text: string): void;
}

/**
 * Offers the snippets whose names contain the word after a `/` at the cursor. The input keeps the focus: the arrow keys choose, Enter and
 * Tab insert, and Escape closes the list until the word ends.
 */
function useSnippets({ snippets, field, text, setText }: Input) {
  const { chat } = useStrings();
  const listId = useId();
  /** Undefined while the input has no focus. */
  const [cursor, setCursor] = useState<number>();
  const [chosen, setChosen] = useState(0);
  const [closedAt, setClosedAt] = useState<number>();
  const word = cursor === undefined ? undefined : /(?:^|\s)\/([\p{L}\p{M}\p{N}_-]*)$/u.exec(text.slice(0, cursor))?.[1];
  const start = word === undefined ? undefined : cursor! - word.length - 1;
  const found = start === undefined || start === closedAt ? [] : matching(snippets, word!);
  const index = Math.min(chosen, found.length - 1);
  const isOpen = found.length > 0;
  const store = useCombobox({ opened: isOpen });

  const followCursor = () => {
    const { selectionStart, selectionEnd } = field.current!;
    const next = selectionStart === selectionEnd ? selectionStart : undefined;
    if (next !== cursor) setChosen(0);
    if (word === undefined) setClosedAt(undefined);
    setCursor(next);
  };

  function insert(name: string) {
    const snippet = found.find((each) => each.name === name);
    if (!snippet || start === undefined) return;
    const before = text.slice(0, start) + snippet.text;
    flushSync(() => setText(before + text.slice(cursor)));
    field.current?.focus();
    field.current?.setSelectionRange(before.length, before.length);
    setCursor(before.length);
  }

  /** Whether the key was for the list. */
  function takesKey({ key, shiftKey }: KeyboardEvent): boolean {
    if (!isOpen || shiftKey) return false;
    if (key === 'ArrowDown') setChosen((index + 1) % found.length);
    else if (key === 'ArrowUp') setChosen((index + found.length - 1) % found.length);
    else if (key === 'Escape') setClosedAt(start);
    else if (key === 'Enter' || key === 'Tab') insert(found[index]!.name);
    else return false;
    return true;
  }

  const optionId = (at: number) => `${listId}-${at}`;
  const inputProps = {
    onSelect: followCursor,
    onBlur: () => setCursor(undefined),
    'aria-autocomplete': snippets.length > 0 ? ('list' as const) : undefined,
    'aria-controls': isOpen ? listId : undefined,
    'aria-activedescendant': isOpen ? optionId(index) : undefined,
    // Escape closes the list, not the drawer around it.
    'data-mantine-stop-propagation': isOpen || undefined,
  };
  const withList = (input: ReactElement) => (
    <Combobox store={store} onOptionSubmit={insert} position="top-start" withinPortal={false}>
      <Combobox.DropdownTarget>{input}</Combobox.DropdownTarget>
      <VisuallyHidden role="status">{isOpen ? chat.snippets(found.length) : ''}</VisuallyHidden>
      <Combobox.Dropdown>
        <Combobox.Options id={listId} aria-label={chat.snippetList}>
          {found.map(({ name, text: content }, at) => (
            <Combobox.Option key={name} id={optionId(at)} value={name} selected={at === index} aria-selected={at === index}>
              <Text fw={600} span>
                /{name}
              </Text>
              <Text size="xs" truncate>
                {content}
              </Text>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
  return { inputProps, takesKey, withList };
}

/** The snippets whose names contain the part, first those that start with it. */
function matching(snippets: readonly Snippet[], part: string): Snippet[] {
  const letters = part.normalize('NFC').toLowerCase();
  const found = snippets.filter(({ name }) => name.includes(letters));
  const starts = ({ name }: Snippet) => Number(name.startsWith(letters));
  return found.sort((a, b) => starts(b) - starts(a)).slice(0, MAX_SHOWN);
}
