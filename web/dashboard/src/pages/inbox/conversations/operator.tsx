import { useThrottledCallback } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { useMutation } from 'urql';
import { Composer } from '../../../parts/chat/composer.tsx';
import { useSession } from '../../../session/session.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import classes from './conversations.module.css';
import { type Conversation, SEEN, SEND, TYPING } from './documents.ts';

/** Milliseconds between typing events. */
const TYPING_INTERVAL = 3_000;

/** The input of the operator who has the conversation. It also tells the visitor what was seen, and that the operator types. */
export function Operator({ conversation: { openHandoff, messageCount } }: { conversation: Conversation }) {
  const { inbox, chat } = useStrings();
  const { user } = useSession();
  const [, send] = useMutation(SEND);
  const [, setTyping] = useMutation(TYPING);
  const [, setSeen] = useMutation(SEEN);
  const id = openHandoff?.status === 'active' && openHandoff.operatorId === user.id ? openHandoff.id : undefined;
  const showTyping = useThrottledCallback(() => void (id && setTyping({ id }, { keep: true })), TYPING_INTERVAL);
  const failed = useRef({ text: '', clientId: '' });

  useEffect(() => {
    if (id && messageCount > 0) void setSeen({ id, position: messageCount }, { keep: true });
  }, [id, messageCount, setSeen]);

  async function submit(text: string): Promise<boolean> {
    // The same id makes a second attempt with this text a retry.
    const clientId = failed.current.text === text ? failed.current.clientId : crypto.randomUUID();
    const { error } = await send({ id: id!, text, clientId });
    failed.current = error ? { text, clientId } : { text: '', clientId: '' };
    return !error;
  }
  if (!id) return null;
  return (
    <div className={classes.foot}>
      <Composer label={inbox.answer} placeholder={inbox.answer} action={chat.send} onSend={submit} onTyping={showTyping} />
    </div>
  );
}
