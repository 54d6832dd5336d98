import { Alert, Group, Loader, Stack, Switch } from '@mantine/core';
import { IconPlayerStop, IconRefresh, IconRotate } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient, useMutation } from 'urql';
import { messageOf } from '../../graph/graph-client.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { ChatLog, Composer } from '../../parts/chat/chat-log.tsx';
import { type Chunk, MessageView, withChunk } from '../../parts/chat/chat-message.tsx';
import type { MessagePart } from '../../parts/chat/tool-call-view.tsx';
import { Action, Note, SmallAction } from '../../parts/elements.tsx';
import { ticked } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import classes from './agent.module.css';
import type { TabProps } from './agent-documents.ts';

/** A conversation with the agent as it is saved, with every tool call and citation. */
export function Tab({ agent }: TabProps) {
  const { agents, chat, actions } = useStrings();
  const [isSending, setSending] = useState(false);
  const { entries, isRunning, ask, again, stop, restart, decide } = useChat(agent.id, !isSending);
  return (
    <div className={classes.area}>
      <Group justify="space-between" p="sm" className={classes.head}>
        <Note>{agents.playgroundText}</Note>
        <Group gap="xs">
          <Switch {...ticked(isSending, setSending)} size="xs" label={agents.playgroundSends} />
          <SmallAction label={agents.again} disabled={isRunning || entries.length === 0} onClick={again} icon={IconRefresh} />
          <SmallAction label={agents.restart} disabled={entries.length === 0} onClick={restart} icon={IconRotate} />
        </Group>
      </Group>
      <ChatLog label={agents.tabs.playground} version={entries}>
        {entries.length === 0 && <Start agent={agent} ask={ask} />}
        {entries.map((entry) => (
          <MessageView
            key={entry.id}
            author={entry.role === 'user' ? chat.you : agent.name}
            parts={entry.parts}
            isOwn={entry.role === 'user'}
            isPlain={entry.role === 'user'}
            details={
              entry.role === 'assistant' && (
                <>
                  {entry.status === 'complete' && entry === entries.at(-1) && <Decision entry={entry} onDecide={decide} />}
                  <Progress entry={entry} />
                </>
              )
            }
          />
        ))}
      </ChatLog>
      <Group p="sm" gap="xs" align="flex-end" wrap="nowrap" className={classes.foot}>
        <div className={classes.composer}>
          <Composer
            label={chat.message}
            placeholder={agent.placeholder || chat.write}
            action={chat.send}
            disabled={isRunning}
            onSend={(text) => {
              ask(text);
              return true;
            }}
          />
        </div>
        {isRunning && (
          <Action label={actions.stop} variant="default" onClick={stop} leftSection={<IconPlayerStop size={14} aria-hidden />} />
        )}
      </Group>
    </div>
  );
}

function Start({ agent, ask }: TabProps & { ask(text: string): void }) {
  const { chat } = useStrings();
  return (
    <Stack gap="sm">
      <MessageView
        author={agent.name}
        parts={[{ type: 'text', text: agent.welcomeMessage || chat.start }]}
        isOwn={false}
        isPlain={false}
      />
      <Group gap="xs">
        {agent.suggestedMessages.map((text) => (
          <SmallAction key={text} label={text} variant="light" radius="xl" onClick={() => ask(text)} />
        ))}
      </Group>
    </Stack>
  );
}

/** Asks the reader, who takes the part of the visitor, about the calls of a reply that wait. */
function Decision({ entry, onDecide }: { entry: ChatEntry; onDecide(approved: boolean): void }) {
  const { agents, inbox } = useStrings();
  if (!entry.parts.some(({ state }) => state === 'approval-requested')) return null;
  return (
    <Alert color="yellow" p="xs" title={agents.safety.waits}>
      <Group gap="xs">
        <Action label={inbox.approve} size="xs" onClick={() => onDecide(true)} />
        <SmallAction label={inbox.refuse} onClick={() => onDecide(false)} />
      </Group>
    </Alert>
  );
}

function Progress({ entry: { status, error, seconds } }: { entry: ChatEntry }) {
  const { chat, formats } = useStrings();
  if (status === 'running') return <Loader type="dots" size="xs" role="status" aria-label={chat.running} />;
  if (error) {
    return (
      <Alert color="red" p="xs" role="alert">
        {error}
      </Alert>
    );
  }
  return seconds === undefined ? null : <Note size="xs">{formats.duration(seconds)}</Note>;
}

const CHAT = graphql(`
  subscription Chat($agentId: ID!, $id: String!, $messages: [UIMessage!]!, $trigger: String, $preview: Boolean! = true, $after: Int! = 0) {
    chat(agentId: $agentId, id: $id, messages: $messages, trigger: $trigger, preview: $preview, after: $after) { sequence conversationId messageId part }
  }
`);
const STOP = graphql(`mutation StopReply($agentId: ID!, $id: ID!) { stopReply(agentId: $agentId, conversationId: $id) }`);

interface ChatEntry {
  id: string;
  role: 'user' | 'assistant';
  parts: MessagePart[];
  status: 'running' | 'complete' | 'failed';
  error?: string;
  /** Seconds from the question to the end of the reply. */
  seconds?: number;
}

/** A conversation of the reader with an agent. */
function useChat(agentId: string, preview: boolean) {
  const client = useClient();
  const [, stopReply] = useMutation(STOP);
  const [entries, setEntries] = useState<ChatEntry[]>([]);
  const [chatId, setChatId] = useState<string>(() => crypto.randomUUID());
  const running = useRef(() => {});
  useEffect(() => () => running.current(), []);
  const isRunning = entries.at(-1)?.status === 'running';

  const changeLast = (change: (entry: ChatEntry) => ChatEntry) => setEntries((all) => [...all.slice(0, -1), change(all.at(-1)!)]);

  /** Answer the requests for approval of the last reply, as clients of the AI SDK do. */
  function decide(approved: boolean) {
    const last = entries.at(-1)!;
    const parts = last.parts.map((part) =>
      part.state === 'approval-requested'
        ? { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved } }
        : part,
    );
    setEntries((all) => [...all.slice(0, -1), { ...last, status: 'running' }]);
    follow([{ id: last.id, role: 'assistant' as const, parts }]);
  }

  function ask(text: string, trigger?: 'regenerate-message') {
    const question: ChatEntry = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }], status: 'complete' };
    const reply: ChatEntry = { id: crypto.randomUUID(), role: 'assistant', parts: [], status: 'running' };
    setEntries((all) => (trigger ? [...all.slice(0, -1), reply] : [...all, question, reply]));
    follow([{ id: question.id, role: 'user' as const, parts: question.parts }], trigger);
  }

  function follow(messages: { id: string; role: 'user' | 'assistant'; parts: MessagePart[] }[], trigger?: 'regenerate-message') {
    const started = performance.now();
    const end = (error?: CombinedError | string) => {
      running.current();
      changeLast((entry) => ({
        ...entry,
        status: error ? 'failed' : 'complete',
        error: typeof error === 'object' ? messageOf(error) : error,
        seconds: (performance.now() - started) / 1_000,
      }));
    };
    const { unsubscribe } = client
      .subscription(CHAT, { agentId, id: chatId, messages, trigger, preview })
      .subscribe(({ data, error }) => {
        if (error) return end(error);
        const part = data?.chat.part as Chunk | undefined;
        if (!part) return;
        if (part.type === 'error') return end(part.errorText);
        if (part.type === 'finish') return end();
        changeLast((entry) => ({ ...entry, parts: withChunk(entry.parts, part) }));
      });
    running.current = unsubscribe;
  }

  return {
    entries,
    isRunning,
    ask,
    decide,
    again() {
      const question = entries.findLast(({ role }) => role === 'user');
      if (question) ask(question.parts[0]?.text ?? '', 'regenerate-message');
    },
    stop: () => stopReply({ agentId, id: chatId }, { keep: true }),
    restart() {
      running.current();
      setEntries([]);
      setChatId(crypto.randomUUID());
    },
  };
}
