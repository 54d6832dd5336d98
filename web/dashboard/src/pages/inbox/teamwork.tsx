import { Group, Paper, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconNote, IconTicket } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { Composer } from '../../parts/chat/chat-log.tsx';
import { Note, SmallAction } from '../../parts/elements.tsx';
import { Drawer, FormDialog, LongText, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { PageChoice } from '../../parts/page-choice.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import classes from './conversations.module.css';
import type { Conversation } from './handoff.tsx';
import { useMembers } from './list-bar.tsx';

const ASSIGN = graphql(`
  mutation AssignConversation($id: ID!, $userId: ID) { assignConversation(id: $id, userId: $userId) { id assignedToUserId assignedToName } }
`);
const SET_TAGS = graphql(
  `mutation SetConversationTags($id: ID!, $tags: [String!]!) { setConversationTags(id: $id, tags: $tags) { id tags } }`,
);

/** The member who takes care of a conversation, its tags, its notes, and a ticket about it. The visitor sees none of it. */
export function Teamwork({ conversation: { id, assignedToUserId, tags, notes, channel } }: { conversation: Conversation }) {
  const { inbox } = useStrings();
  const { organization } = useOrganization();
  const members = useMembers();
  const [assigning, assign] = useMutation(ASSIGN);
  const [tagging, setTags] = useMutation(SET_TAGS);
  const [showsNotes, notesDialog] = useDisclosure();
  const [isNew, ticketDialog] = useDisclosure();
  const { total } = notes.pagination;
  return (
    <Group className={classes.bar} gap="xs" align="flex-end">
      <Select
        size="xs"
        w={180}
        aria-label={inbox.assignedTo}
        placeholder={inbox.unassigned}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': inbox.unassign }}
        disabled={assigning.fetching}
        data={members}
        value={assignedToUserId ?? null}
        onChange={(userId) => assign({ id, userId })}
      />
      <TagsField tags={tags} disabled={tagging.fetching} onChange={(next) => setTags({ id, tags: next })} />
      <SmallAction
        label={total === 0 ? inbox.notes : inbox.notesCount(total)}
        variant="light"
        color={total === 0 ? 'gray' : undefined}
        icon={IconNote}
        onClick={notesDialog.open}
      />
      {channel === 'widget' && organization.modules.includes('helpdesk') && (
        <SmallAction label={inbox.toTicket} icon={IconTicket} onClick={ticketDialog.open} />
      )}
      {showsNotes && <Notes id={id} onClose={notesDialog.close} />}
      {isNew && <NewTicket id={id} onClose={ticketDialog.close} />}
    </Group>
  );
}

/** The tags of a conversation or a ticket. */
export function TagsField({ tags, ...props }: { tags: string[]; disabled: boolean; onChange(tags: string[]): void }) {
  const { inbox } = useStrings();
  return (
    <TagsInput
      size="xs"
      flex="1 1 10rem"
      aria-label={inbox.tags}
      placeholder={tags.length === 0 ? inbox.tags : undefined}
      maxTags={20}
      maxLength={40}
      value={tags}
      {...props}
    />
  );
}

const NOTES = graphql(`
  query ConversationNotes($id: ID!, $page: Int!) {
    conversation(id: $id) { id notes(page: $page, limit: 50) { nodes { id kind authorName text createdAt } pagination { total totalPages } } }
  }
`);
const ADD_NOTE = graphql(`
  mutation AddConversationNote($id: ID!, $text: String!) { addConversationNote(id: $id, text: $text) { id } }
`);

function Notes({ id, onClose }: { id: string; onClose(): void }) {
  const { inbox, chat, formats } = useStrings();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: NOTES, variables: { id, page } });
  const [, read] = query;
  const [add] = useAction(ADD_NOTE, { after: () => read({ requestPolicy: 'network-only' }) });
  return (
    <Drawer onClose={onClose} title={inbox.notes}>
      <Stack gap="sm">
        <Note>{inbox.notesHelp}</Note>
        <Loaded query={query}>
          {({ conversation: { notes } }) => (
            <>
              {notes.nodes.map((note) => (
                <Paper
                  key={note.id}
                  withBorder
                  p="sm"
                  component="article"
                  aria-label={note.authorName}
                  bg="var(--mantine-color-yellow-light)"
                >
                  <Text size="xs" fw={600}>
                    {note.authorName}
                  </Text>
                  <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                    {note.kind === 'left' ? inbox.noteLeft(note.authorName) : note.text}
                  </Text>
                  <Note size="xs">{formats.time(note.createdAt)}</Note>
                </Paper>
              ))}
              <PageChoice page={page} totalPages={notes.pagination.totalPages} onPage={setPage} />
            </>
          )}
        </Loaded>
        <Composer
          label={inbox.addNote}
          placeholder={inbox.addNote}
          maxLength={4_000}
          action={chat.send}
          onSend={(text) => add({ id, text })}
        />
      </Stack>
    </Drawer>
  );
}

const CREATE = graphql(`
  mutation CreateTicketFromConversation($conversationId: ID!, $subject: String!, $description: String) {
    createTicketFromConversation(conversationId: $conversationId, subject: $subject, description: $description) { id }
  }
`);

/** Creates a ticket whose requester is the contact of the conversation, and opens it. */
function NewTicket({ id, onClose }: { id: string; onClose(): void }) {
  const { inbox, terms, actions } = useStrings();
  const { leaveTo } = useGo();
  const [create] = useAction(CREATE, { after: (data) => leaveTo(`inbox/tickets/${data.createTicketFromConversation.id}`) });
  const form = useClosingForm({ initialValues: { subject: '', description: '' }, required: ['subject'] });
  const submit = ({ subject, description }: typeof form.values) =>
    create({ conversationId: id, subject: subject.trim(), description: description.trim() || null });
  return (
    <FormDialog guarded onClose={onClose} title={inbox.toTicket} form={form} onSubmit={submit} submit={actions.create}>
      <TextInput {...form.field('subject', inbox.subject)} maxLength={255} data-autofocus />
      <LongText {...form.field('description', terms.description)} rows={[3, 12]} maxLength={20_000} />
    </FormDialog>
  );
}
