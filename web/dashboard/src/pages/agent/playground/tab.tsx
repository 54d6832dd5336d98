import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPlayerStop, IconRefresh, IconRotate } from '@tabler/icons-react';
import { ChatLog } from '../../../parts/chat/chat-log.tsx';
import { Composer } from '../../../parts/chat/composer.tsx';
import { MessageView } from '../../../parts/chat/message-view.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import type { TabProps } from '../documents.ts';
import classes from './playground.module.css';
import { type Turn, useChat } from './use-chat.ts';

/** A conversation with the agent as it is saved, with every tool call and citation. */
export function Tab({ agent }: TabProps) {
  const { agents, chat } = useStrings();
  const { turns, isRunning, ask, again, stop, restart } = useChat(agent.id);
  return (
    <div className={classes.area}>
      <Group justify="space-between" p="sm" className={classes.head}>
        <Text size="sm" c="dimmed">
          {agents.playgroundText}
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={isRunning || turns.length === 0}
            onClick={again}
            leftSection={<IconRefresh size={14} aria-hidden />}
          >
            {agents.again}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={turns.length === 0}
            onClick={restart}
            leftSection={<IconRotate size={14} aria-hidden />}
          >
            {agents.restart}
          </Button>
        </Group>
      </Group>
      <ChatLog label={agents.tabs.playground} version={turns}>
        {turns.length === 0 && <Start agent={agent} ask={ask} />}
        {turns.map((turn) => (
          <MessageView
            key={turn.id}
            author={turn.role === 'user' ? chat.you : agent.name}
            parts={turn.parts}
            isOwn={turn.role === 'user'}
            isPlain={turn.role === 'user'}
            details={turn.role === 'assistant' && <Progress turn={turn} />}
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
          <Button variant="default" onClick={stop} leftSection={<IconPlayerStop size={14} aria-hidden />}>
            {chat.stop}
          </Button>
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
          <Button key={text} size="xs" variant="light" radius="xl" onClick={() => ask(text)}>
            {text}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

function Progress({ turn: { status, error, seconds } }: { turn: Turn }) {
  const { chat } = useStrings();
  const formats = useFormats();
  if (status === 'running') return <Loader type="dots" size="xs" role="status" aria-label={chat.running} />;
  if (error) {
    return (
      <Alert color="red" p="xs" role="alert">
        {error}
      </Alert>
    );
  }
  return seconds === undefined ? null : (
    <Text size="xs" c="dimmed">
      {formats.duration(seconds)}
    </Text>
  );
}
