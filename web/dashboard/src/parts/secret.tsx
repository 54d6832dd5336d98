import { CopyButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useStrings } from '../strings/strings.tsx';
import { Action } from './elements.tsx';

/** A secret to copy, such as a key or a link. */
export function Secret({ value, text, label }: { value: string; text?: string; label?: string }) {
  const { actions, terms } = useStrings();
  return (
    <Stack gap="sm">
      {text && <Text>{text}</Text>}
      <Group gap="xs" wrap="nowrap" align="end">
        <TextInput
          flex={1}
          label={label}
          aria-label={label ?? terms.value}
          value={value}
          readOnly
          autoComplete="off"
          spellCheck={false}
          onFocus={({ target }) => target.select()}
          styles={{ input: { fontFamily: 'monospace' } }}
        />
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Action
              label={copied ? actions.copied : actions.copy}
              onClick={copy}
              variant={copied ? 'light' : 'filled'}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            />
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}
