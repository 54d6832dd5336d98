import { useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient, useMutation } from 'urql';
import { messageOf } from '../../../graph/client.ts';
import { graphql } from '../../../graph/graphql.ts';
import { type Chunk, type MessagePart, withChunk } from '../../../parts/chat/message-part.ts';

const CHAT = graphql(`
  subscription Chat($agentId: ID!, $id: String!, $messages: [UIMessage!]!, $trigger: String, $after: Int! = 0) {
    chat(agentId: $agentId, id: $id, messages: $messages, trigger: $trigger, after: $after) { sequence conversationId messageId part }
  }
`);
const STOP = graphql(`mutation StopReply($agentId: ID!, $id: ID!) { stopReply(agentId: $agentId, conversationId: $id) }`);

export interface Turn {
  id: string;
  role: 'user' | 'assistant';
  parts: MessagePart[];
  status: 'running' | 'complete' | 'failed';
  error?: string;
  /** Seconds from the question to the end of the reply. */
  seconds?: number;
}

/** A conversation of the reader with an agent. */
export function useChat(agentId: string) {
  const client = useClient();
  const [, stopReply] = useMutation(STOP);
  const [turns, setTurns] = useState<Turn[]>([]);
  const [chatId, setChatId] = useState<string>(() => crypto.randomUUID());
  const running = useRef(() => {});
  useEffect(() => () => running.current(), []);
  const isRunning = turns.at(-1)?.status === 'running';

  const changeLast = (change: (turn: Turn) => Turn) => setTurns((all) => [...all.slice(0, -1), change(all.at(-1)!)]);

  function ask(text: string, trigger?: 'regenerate-message') {
    const question: Turn = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }], status: 'complete' };
    const reply: Turn = { id: crypto.randomUUID(), role: 'assistant', parts: [], status: 'running' };
    setTurns((all) => (trigger ? [...all.slice(0, -1), reply] : [...all, question, reply]));
    const messages = [{ id: question.id, role: 'user' as const, parts: question.parts }];
    const started = performance.now();
    const end = (error?: CombinedError | string) => {
      running.current();
      changeLast((turn) => ({
        ...turn,
        status: error ? 'failed' : 'complete',
        error: typeof error === 'object' ? messageOf(error) : error,
        seconds: (performance.now() - started) / 1_000,
      }));
    };
    const { unsubscribe } = client.subscription(CHAT, { agentId, id: chatId, messages, trigger }).subscribe(({ data, error }) => {
      if (error) return end(error);
      const part = data?.chat.part as Chunk | undefined;
      if (!part) return;
      if (part.type === 'error') return end(part.errorText);
      if (part.type === 'finish') return end();
      changeLast((turn) => ({ ...turn, parts: withChunk(turn.parts, part) }));
    });
    running.current = unsubscribe;
  }

  return {
    turns,
    isRunning,
    ask,
    again() {
      const question = turns.findLast(({ role }) => role === 'user');
      if (question) ask(question.parts[0]?.text ?? '', 'regenerate-message');
    },
    stop: () => stopReply({ agentId, id: chatId }, { keep: true }),
    restart() {
      running.current();
      setTurns([]);
      setChatId(crypto.randomUUID());
    },
  };
}
