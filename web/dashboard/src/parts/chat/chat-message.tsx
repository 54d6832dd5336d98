import { Group, List, Stack, Text } from '@mantine/core';
import { IconRobot, IconUser } from '@tabler/icons-react';
import { Marked } from 'marked';
import { type ReactNode, useMemo } from 'react';
import { useStrings } from '../../strings/strings.tsx';
import { CleanHtml, sanitize } from '../clean-html.tsx';
import { Note, WebLink } from '../elements.tsx';
import classes from './chat.module.css';
import { MessagePart, ToolCallView } from './tool-call-view.tsx';

interface Props {
  author: string;
  parts: readonly MessagePart[];
  /** The message is on the reader's side, at the end of the line. */
  isOwn: boolean;
  /** Tells the assistant from a person of the team. */
  side?: 'assistant' | 'operator';
  /** Messages of people are plain text. */
  isPlain: boolean;
  /** Time, cost and remarks below the message. */
  details?: ReactNode;
}

/** One message of a conversation, with its tool calls and its citations. */
export function MessageView({ author, parts, isOwn, side, isPlain, details }: Props) {
  const sources = parts.filter(isSource);
  const Icon = side && { assistant: IconRobot, operator: IconUser }[side];
  return (
    <Stack
      gap={4}
      component="article"
      aria-label={author}
      className={classes.bubble}
      data-own={isOwn || undefined}
      data-side={side}
    >
      <Group gap={6} wrap="nowrap">
        {Icon && <Icon size={14} aria-hidden />}
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
          <Text key={key} className={classes.plain}>
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
  const { terms } = useStrings();
  return (
    <div>
      <Note size="xs" fw={600}>
        {terms.sources}
      </Note>
      <List size="xs" type="ordered" withPadding>
        {sources.map(({ sourceId, url, title }) => (
          <List.Item key={sourceId}>{url ? <WebLink url={url} label={title || url} size="xs" /> : title}</List.Item>
        ))}
      </List>
    </div>
  );
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const asText = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character]!);
/** HTML stays text, and an image becomes its description. */
const parser = new Marked({
  gfm: true,
  breaks: true,
  renderer: { html: ({ text }) => asText(text), image: ({ text }) => asText(text) },
});

function htmlOf(text: string): string {
  try {
    return sanitize(parser.parse(text, { async: false }));
  } catch {
    // Very deep nesting exhausts the stack of the parser.
    return asText(text);
  }
}

/** Markdown of a model. It contains no markup of its own, and makes no requests. */
function Markdown({ text }: { text: string }) {
  const html = useMemo(() => htmlOf(text), [text]);
  return <CleanHtml html={html} />;
}

/** One part of the stream of a reply. */
export interface Chunk extends Omit<MessagePart, 'text'> {
  id?: string;
  delta?: string;
  toolName?: string;
  approvalId?: string;
}

/** The parts of a reply after one more chunk of its stream. */
export function withChunk(parts: readonly MessagePart[], chunk: Chunk): MessagePart[] {
  const { type, toolCallId, input, output, errorText } = chunk;
  const changed = (change: Partial<MessagePart>) =>
    parts.map((part) => (part.toolCallId !== undefined && part.toolCallId === toolCallId ? { ...part, ...change } : part));
  switch (type) {
    case 'text-start':
      return [...parts, { type: 'text', text: '' }];
    case 'text-delta': {
      const last = parts.findLastIndex((part) => part.type === 'text');
      return parts.map((part, index) => (index === last ? { ...part, text: `${part.text}${chunk.delta}` } : part));
    }
    case 'tool-input-start':
      return [...parts, { type: `tool-${chunk.toolName}`, toolCallId, state: 'input-streaming' }];
    case 'tool-input-available':
      return changed({ state: 'input-available', input });
    case 'tool-output-available':
      return changed({ state: 'output-available', output });
    case 'tool-approval-request':
      return changed({ state: 'approval-requested', approval: { id: chunk.approvalId } });
    case 'tool-output-denied':
      return changed({ state: 'output-denied' });
    case 'tool-output-error':
      return changed({ state: 'output-error', errorText });
    case 'source-url':
    case 'source-document':
      return [...parts, chunk];
    default:
      return [...parts];
  }
}

const isToolCall = ({ type }: MessagePart): boolean => type.startsWith('tool-');
const isSource = ({ type }: MessagePart): boolean => type.startsWith('source-');
