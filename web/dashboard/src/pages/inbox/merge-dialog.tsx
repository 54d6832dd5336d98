import { Alert, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import type { MergeCandidatesQuery, TicketQuery } from '../../../.graph/graphql.ts';
import { codeOf, messageOf } from '../../graph/graph-client.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { Note } from '../../parts/elements.tsx';
import { FormDialog, Search } from '../../parts/forms-and-dialogs.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

export const TICKET = graphql(`
  query Ticket($id: ID!) {
    ticket(id: $id) {
      id ticketNumber subject description status priority category source requesterName requesterEmail conversationId
      conversationSummary assignedToUserId assignedToName tags agentName mergedIntoId createdAt lastActivityAt contactId contact { id name }
    }
  }
`);
export type Ticket = TicketQuery['ticket'];

const CANDIDATES = graphql(`
  query MergeCandidates($email: String, $ticketNumber: String) {
    tickets(email: $email, ticketNumber: $ticketNumber, sort: "activity", limit: 20) {
      id ticketNumber subject status requesterName requesterEmail mergedIntoId
    }
  }
`);
const MERGE = graphql(`
  mutation MergeTicket($id: ID!, $duplicateId: ID!) { mergeTicket(id: $id, duplicateId: $duplicateId) { id } }
`);
type Candidate = MergeCandidatesQuery['tickets'][number];

/** Merges a duplicate into a ticket. It starts with the other tickets of the requester. */
export function MergeDialog({ ticket, onClose }: { ticket: Ticket; onClose(): void }) {
  const { inbox, actions } = useStrings();
  const [text, setText] = useState('');
  const [duplicate, setDuplicate] = useState<Candidate>();
  const [problem, setProblem] = useState<string>();
  const [, merge] = useMutation(MERGE);
  const query = useQuery({ query: CANDIDATES, variables: filterOf(text, ticket) });

  async function submit() {
    if (!duplicate) return;
    const { data, error } = await merge({ id: ticket.id, duplicateId: duplicate.id }, { quiet: true });
    if (error) setProblem(reasonOf(error, ticket, duplicate, inbox));
    if (!data) return;
    showDone(inbox.merged(duplicate.ticketNumber, ticket.ticketNumber));
    onClose();
  }
  return (
    <FormDialog
      onClose={onClose}
      title={inbox.mergeTitle(ticket.ticketNumber)}
      onSubmit={submit}
      submit={actions.merge}
      disabled={!duplicate}
    >
      <Group>
        <Search label={inbox.duplicateSearch} value="" onSearch={setText} />
      </Group>
      <Loaded query={query}>
        {({ tickets }) => (
          <Choices
            tickets={tickets.filter(({ id, mergedIntoId }) => id !== ticket.id && !mergedIntoId)}
            chosen={duplicate}
            onChoose={(chosen) => {
              setDuplicate(chosen);
              setProblem(undefined);
            }}
          />
        )}
      </Loaded>
      {duplicate && <Text>{inbox.mergeText(duplicate.ticketNumber, ticket.ticketNumber)}</Text>}
      {problem && (
        <Alert color="red" role="alert" title={inbox.notMerged}>
          {problem}
        </Alert>
      )}
    </FormDialog>
  );
}

function filterOf(text: string, { requesterEmail }: Ticket) {
  const search = text.trim();
  if (search.includes('@')) return { email: search };
  return search ? { ticketNumber: search.toUpperCase() } : { email: requesterEmail };
}

const isSameRequester = (one: Pick<Ticket, 'requesterEmail'>, other: Pick<Ticket, 'requesterEmail'>) =>
  one.requesterEmail?.toLowerCase() === other.requesterEmail?.toLowerCase();

function reasonOf(error: CombinedError, ticket: Ticket, duplicate: Candidate, inbox: ReturnType<typeof useStrings>['inbox']) {
  const isAboutRequesters = codeOf(error) === 'UNPROCESSABLE' && !isSameRequester(ticket, duplicate);
  return isAboutRequesters ? inbox.otherRequester(ticket.ticketNumber, duplicate.ticketNumber) : messageOf(error);
}

interface ChoicesProps {
  tickets: Candidate[];
  chosen?: Candidate;
  onChoose(ticket: Candidate): void;
}

function Choices({ tickets, chosen, onChoose }: ChoicesProps) {
  const { inbox } = useStrings();
  if (tickets.length === 0) return <Note role="status">{inbox.noDuplicates}</Note>;
  const choose = (id: string) => {
    const ticket = tickets.find((each) => each.id === id);
    if (ticket) onChoose(ticket);
  };
  return (
    <Radio.Group label={inbox.duplicate} value={chosen?.id ?? null} onChange={choose}>
      <Stack gap="xs" mt="xs">
        {tickets.map(({ id, ticketNumber, subject, status, requesterName, requesterEmail }) => (
          <Radio
            key={id}
            value={id}
            label={`${ticketNumber} · ${subject}`}
            description={[requesterName ?? requesterEmail, inbox.ticketStates[status]].filter(Boolean).join(' · ')}
            styles={{ label: { overflowWrap: 'anywhere' } }}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
