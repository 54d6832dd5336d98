import { Anchor, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { TicketMessagesQuery } from '../../../.graph/graphql.ts';
import { graphql, useEvery, useQuery } from '../../graph/graph-hooks.ts';
import { Composer } from '../../parts/chat/chat-log.tsx';
import { Action, Note, PageLink, Tag } from '../../parts/elements.tsx';
import { Choice, Drawer } from '../../parts/forms-and-dialogs.tsx';
import { PageChoice } from '../../parts/page-choice.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useOrganization, useSession } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useCannedReplies } from './handoff.tsx';
import { mailLink, useMailChannel, useMembers } from './list-bar.tsx';
import { MergeDialog, TICKET, Ticket } from './merge-dialog.tsx';
import { TagsField } from './teamwork.tsx';

const colors = {
  new: 'red',
  on_you: 'orange',
  on_customer: 'indigo',
  on_hold: 'gray',
  closed: 'teal',
  cancelled: 'gray',
} as const;
export function StatusBadge({ status }: { status: Ticket['status'] }) {
  const { inbox } = useStrings();
  return <Tag label={inbox.ticketStates[status]} color={colors[status]} miw="fit-content" />;
}
/** Whether a ticket can still change. */
const isOpen = (status: Ticket['status']): boolean => status !== 'closed' && status !== 'cancelled';

/** One ticket, with its replies and notes. */
export function TicketDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const { inbox } = useStrings();
  const query = useQuery({ query: TICKET, variables: { id } });
  const ticket = query[0].data?.ticket;
  return (
    <Drawer onClose={onClose} size="xl" title={ticket ? `${ticket.ticketNumber} · ${ticket.subject}` : inbox.ticket}>
      <Loaded query={query}>
        {({ ticket: loaded }) => (
          <Stack>
            <Facts ticket={loaded} />
            <TicketActions ticket={loaded} />
            <TicketTags ticket={loaded} />
            <Paper withBorder p="sm">
              <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{loaded.description}</Text>
            </Paper>
            {loaded.conversationSummary && (
              <Paper withBorder p="sm">
                <Text size="xs" fw={600}>
                  {inbox.summary}
                </Text>
                <Text style={{ whiteSpace: 'pre-wrap' }}>{loaded.conversationSummary}</Text>
              </Paper>
            )}
            <TicketMessages id={id} />
            <TicketWriter ticket={loaded} />
          </Stack>
        )}
      </Loaded>
    </Drawer>
  );
}

function Facts({ ticket }: { ticket: Ticket }) {
  const { inbox, actions, formats } = useStrings();
  const { status, priority, category, requesterName, requesterEmail, createdAt, agentName } = ticket;
  const { conversationId, mergedIntoId, contactId, contact } = ticket;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <StatusBadge status={status} />
        <Text>{[inbox.priorities[priority], category, agentName].filter(Boolean).join(' · ')}</Text>
      </Group>
      <Text>
        {inbox.requester}: {requesterName ?? contact?.name ?? inbox.unknown}{' '}
        {requesterEmail && (
          <Anchor href={mailLink(requesterEmail)} underline="always">
            {requesterEmail}
          </Anchor>
        )}
      </Text>
      <Note>{formats.time(createdAt)}</Note>
      {conversationId && <PageLink to={`inbox/conversations/${conversationId}`} label={actions.openConversation} />}
      {contactId && <PageLink to={`inbox/contacts/${contactId}`} label={inbox.showContact} />}
      {mergedIntoId && <PageLink to={`inbox/tickets/${mergedIntoId}`} label={inbox.mergedInto} />}
    </Stack>
  );
}

const ASSIGN = graphql(`
  mutation AssignTicket($id: ID!, $userId: ID!) { assignTicket(id: $id, userId: $userId) { id status assignedToUserId assignedToName } }
`);
const SET_STATUS = graphql(
  `mutation SetTicketStatus($id: ID!, $status: TicketStatus!) { setTicketStatus(id: $id, status: $status) { id status } }`,
);

/** The statuses that a person sets. Replies set the others. */
const settable = ['on_hold', 'closed', 'cancelled'] as const;

function TicketActions({ ticket }: { ticket: Ticket }) {
  const { id, status, assignedToUserId } = ticket;
  const { inbox } = useStrings();
  const { user } = useSession();
  const [assigning, assign] = useMutation(ASSIGN);
  const [setting, setStatus] = useMutation(SET_STATUS);
  const members = useMembers();
  const [isMerging, { open, close }] = useDisclosure();
  if (ticket.mergedIntoId) return null;
  const merge = (
    <>
      <Action label={inbox.merge} variant="default" onClick={open} />
      {isMerging && <MergeDialog ticket={ticket} onClose={close} />}
    </>
  );
  if (!isOpen(status)) return <Group>{merge}</Group>;
  return (
    <Group gap="xs" align="flex-end">
      <Choice
        label={inbox.assignedTo}
        placeholder={inbox.nobody}
        searchable
        disabled={assigning.fetching}
        data={members}
        value={assignedToUserId ?? null}
        onChange={(userId) => assign({ id, userId })}
      />
      {assignedToUserId !== user.id && (
        <Action
          label={inbox.assignToMe}
          variant="light"
          loading={assigning.fetching}
          onClick={() => assign({ id, userId: user.id })}
        />
      )}
      {settable
        .filter((each) => each !== status)
        .map((each) => (
          <Action
            key={each}
            label={inbox.setStates[each]}
            variant="default"
            disabled={setting.fetching}
            onClick={() => setStatus({ id, status: each })}
          />
        ))}
      {merge}
    </Group>
  );
}

const SET_TAGS = graphql(`mutation SetTicketTags($id: ID!, $tags: [String!]!) { setTicketTags(id: $id, tags: $tags) { id tags } }`);

function TicketTags({ ticket: { id, tags, mergedIntoId } }: { ticket: Ticket }) {
  const [{ fetching }, setTags] = useMutation(SET_TAGS);
  const { organization } = useOrganization();
  const isFixed = mergedIntoId != null || !organization.modules.includes('helpdesk');
  return (
    <Group>
      <TagsField tags={tags} disabled={fetching || isFixed} onChange={(next) => setTags({ id, tags: next })} />
    </Group>
  );
}

const TICKET_MESSAGES = graphql(`
  query TicketMessages($id: ID!, $page: Int!) {
    ticket(id: $id) {
      id
      messages(page: $page, limit: 50) {
        nodes { id kind authorName text createdAt mail { recipient status lastError } } pagination { total totalPages }
      }
    }
  }
`);
type TicketMessage = TicketMessagesQuery['ticket']['messages']['nodes'][number];

function TicketMessages({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery({ query: TICKET_MESSAGES, variables: { id, page } });
  const [, read] = query;
  // Answers come by mail.
  useEvery(20, () => read({ requestPolicy: 'network-only' }));
  return (
    <Loaded query={query}>
      {({ ticket: { messages } }) => (
        <>
          {messages.nodes.map((message) => (
            <Message key={message.id} message={message} />
          ))}
          <PageChoice page={page} totalPages={messages.pagination.totalPages} onPage={setPage} />
        </>
      )}
    </Loaded>
  );
}

function Message({ message: { kind, authorName, text, createdAt, mail } }: { message: TicketMessage }) {
  const { inbox, formats } = useStrings();
  return (
    <Paper
      withBorder
      p="sm"
      component="article"
      aria-label={`${inbox.messageKinds[kind]}: ${authorName}`}
      bg={kind === 'note' ? 'var(--mantine-color-yellow-light)' : kind === 'other' ? 'var(--mantine-color-red-light)' : undefined}
    >
      <Text size="xs" fw={600}>
        {authorName} · {inbox.messageKinds[kind]}
      </Text>
      <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>
      {kind === 'other' && <Note size="xs">{inbox.otherSender}</Note>}
      <Note size="xs">
        {[formats.time(createdAt), mail && inbox.mailStates[mail.status](mail.recipient)].filter(Boolean).join(' · ')}
      </Note>
      {mail?.lastError && (
        <Text size="xs" c="red">
          {mail.lastError}
        </Text>
      )}
    </Paper>
  );
}

const REPLY = graphql(`mutation ReplyToTicket($id: ID!, $text: String!) { replyToTicket(id: $id, text: $text) { id status } }`);
const NOTE = graphql(`mutation AddTicketNote($id: ID!, $text: String!) { addTicketNote(id: $id, text: $text) { id } }`);
const REQUESTER_REPLY = graphql(
  `mutation AddRequesterReply($id: ID!, $text: String!) { addRequesterReply(id: $id, text: $text) { id status } }`,
);

type Kind = 'reply' | 'note' | 'requester';

/** Writes a reply, a note, or what the requester answered elsewhere. */
function TicketWriter({ ticket: { id, status, requesterEmail, requesterName, contact } }: { ticket: Ticket }) {
  const { inbox, chat } = useStrings();
  const { sends } = useMailChannel();
  const replies = useCannedReplies(requesterName ?? contact?.name);
  const [, reply] = useMutation(REPLY);
  const [, note] = useMutation(NOTE);
  const [, requester] = useMutation(REQUESTER_REPLY);
  const write = { reply, note, requester };
  const kinds: Kind[] = isOpen(status) ? ['reply', 'note', 'requester'] : status === 'closed' ? ['note', 'requester'] : ['note'];
  const [kind, setKind] = useState<Kind>(kinds[0]!);
  // A ticket that reopens must not turn a note for the team into a reply, so the narrower kind stays.
  if (!kinds.includes(kind)) setKind('note');
  const mailHelp = !sends ? inbox.noMail : requesterEmail ? inbox.mailsTo(requesterEmail) : inbox.noAddress;
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
        placeholder={
          kind !== 'reply'
            ? inbox.writeHelp[kind]
            : replies.length > 0
              ? inbox.canned.placeholder(inbox.messageKinds.reply)
              : inbox.messageKinds.reply
        }
        snippets={kind === 'reply' ? replies : []}
        action={chat.send}
        onSend={async (text) => !(await write[kind]({ id, text })).error}
      />
      {kind === 'reply' && <Note size="xs">{mailHelp}</Note>}
    </Stack>
  );
}
