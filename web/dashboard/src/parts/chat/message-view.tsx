import { Anchor, Group, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useStrings } from '../../strings/strings.tsx';
import classes from './chat.module.css';
import { Markdown } from './markdown.tsx';
import { isSource, isToolCall, type MessagePart } from './message-part.ts';
import { ToolCallView } from './tool-call-view.tsx';

interface Props {
  author: string;
  parts: readonly MessagePart[];
  /** The message is on the reader's side, at the end of the line. */
  isOwn: boolean;
  /** Messages of people are plain text. */
  isPlain: boolean;
  /** Time, cost and remarks below the message. */
  details?: ReactNode;
}

/** One message of a conversation, with its tool calls and its citations. */
export function MessageView({ author, parts, isOwn, isPlain, details }: Props) {
  const sources = parts.filter(isSource);
  return (
    <Stack gap={4} component="article" aria-label={author} className={classes.bubble} data-own={isOwn || undefined}>
      <Group gap="xs" justify="space-between">
        <Text size="xs" fw={600}>
          {author}
        </Text>
      </Group>
      {parts.map((part, index) => {
        // Parts only grow at the end, so their positions identify them.
        const key = part.toolCallId ?? index;
        if (isToolCall(part)) return <ToolCallView key={key} call={part} />;
        if (part.type !== 'text' || !part.text) return null;
        if (!isPlain) return <Markdown key={key} text={part.text} />;
        return (
          <Text key={key} size="sm" className={classes.plain}>
            {part.text}
          </Text>
        );
      })}
      {sources.length > 0 && <Citations sources={sources} />}
      {details}
    </Stack>
  );
}

function Citations({ sources }: { sources: readonly MessagePart[] }) {
  const { chat } = useStrings();
  return (
    <div>
      <Text size="xs" fw={600} c="dimmed">
        {chat.sources}
      </Text>
      <List size="xs" type="ordered" withPadding>
        {sources.map(({ sourceId, url, title }) => (
          <List.Item key={sourceId}>
            {url && /^https?:/i.test(url) ? (
              <Anchor href={url} target="_blank" rel="noopener noreferrer" size="xs">
                {title || url}
              </Anchor>
            ) : (
              title
            )}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
