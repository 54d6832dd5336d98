import { useState } from 'react';
import { useEvery } from '../../../graph/every.ts';
import { useQuery } from '../../../graph/use-query.ts';
import { Loaded } from '../../../parts/states.tsx';
import { useAgentNames } from '../agent-select.tsx';
import { CONVERSATION } from './documents.ts';
import { Header } from './header.tsx';
import { Messages } from './messages.tsx';
import { Operator } from './operator.tsx';
import { useHandoff } from './use-handoff.ts';

/** Seconds between reads of a conversation that its agent has. Handoffs are live. */
const INTERVAL = 4;

/** One conversation: its participants, its messages, and the operator's input. */
export function ConversationView({ id }: { id: string }) {
  const query = useQuery({ query: CONVERSATION, variables: { id } });
  const [{ data }, read] = query;
  const names = useAgentNames();
  const [version, setVersion] = useState(0);
  const refresh = () => {
    read({ requestPolicy: 'network-only' });
    setVersion((before) => before + 1);
  };
  useEvery(INTERVAL, () => {
    if (!data?.conversation.openHandoff) refresh();
  });
  const { isTyping, seenTo } = useHandoff(data?.conversation, refresh);
  return (
    <Loaded query={query}>
      {({ conversation }) => {
        const agentName = names.get(conversation.agentId) ?? '';
        return (
          <>
            <Header conversation={conversation} agentName={agentName} />
            <Messages conversation={conversation} agentName={agentName} version={version} isTyping={isTyping} seenTo={seenTo} />
            <Operator conversation={conversation} />
          </>
        );
      }}
    </Loaded>
  );
}
