import { ActionIcon, Group, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { isComposing } from '../../../../shared/composing.ts';
import { useUnsaved } from '../unsaved.ts';

interface Props {
  label: string;
  placeholder?: string;
  disabled?: boolean;
  /** Resolves to false to keep the text, after a failure. */
  onSend(text: string): Promise<boolean> | boolean;
  onTyping?(): void;
  /** The label of the button. */
  action: string;
  initialText?: string;
}

/** The input of a chat: Enter sends, Shift+Enter starts a line. */
export function Composer({ label, placeholder, disabled, onSend, onTyping, action, initialText = '' }: Props) {
  const [text, setText] = useState(initialText);
  const field = useRef<HTMLTextAreaElement>(null);
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
      <Textarea
        ref={field}
        flex={1}
        aria-label={label}
        placeholder={placeholder}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={20_000}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          onTyping?.();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          void send();
        }}
      />
      <ActionIcon size={36} aria-label={action} disabled={!canSend} onClick={send}>
        <IconSend size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
