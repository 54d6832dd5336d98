import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from 'urql';
import { Composer } from '../../../parts/chat/composer.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { NOTE, REPLY, REQUESTER_REPLY, type Ticket } from './documents.ts';
import { isOpen } from './status.tsx';

type Kind = 'reply' | 'note' | 'requester';

/** Writes a reply, a note, or what the requester answered elsewhere. */
export function TicketWriter({ ticket: { id, status } }: { ticket: Ticket }) {
  const { inbox, chat } = useStrings();
  const [, reply] = useMutation(REPLY);
  const [, note] = useMutation(NOTE);
  const [, requester] = useMutation(REQUESTER_REPLY);
  const write = { reply, note, requester };
  const kinds: Kind[] = isOpen(status) ? ['reply', 'note', 'requester'] : status === 'closed' ? ['note', 'requester'] : ['note'];
  const [kind, setKind] = useState<Kind>(kinds[0]!);
  // A ticket that reopens must not turn a note for the team into a reply, so the narrower kind stays.
  if (!kinds.includes(kind)) setKind('note');
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={inbox.write}
        value={kind}
        onChange={setKind}
        data={kinds.map((value) => ({ value, label: inbox.messageKinds[value] }))}
      />
      <Composer
        label={inbox.messageKinds[kind]}
        placeholder={inbox.writeHelp[kind]}
        action={chat.send}
        onSend={async (text) => !(await write[kind]({ id, text })).error}
      />
    </Stack>
  );
}
