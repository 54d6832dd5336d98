import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconShieldQuestion } from '@tabler/icons-react';
import { useMutation } from 'urql';
import { graphql } from '../../graph/graph-hooks.ts';
import { useHandoffQueue } from '../../layout/overview.tsx';
import { Action, Note, PageLink, SmallAction } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';

const DECIDE = graphql(
  `mutation DecideApproval($id: ID!, $approved: Boolean!) { decideApproval(id: $id, approved: $approved) { id status } }`,
);

/** The calls of tools that wait for the team, of one conversation or of all. They appear and disappear at once. */
export function Approvals({ conversationId }: { conversationId?: string }) {
  const { inbox, formats } = useStrings();
  const [deciding, decide] = useMutation(DECIDE);
  const waiting = useHandoffQueue()?.approvals.filter((each) => !conversationId || each.conversationId === conversationId) ?? [];
  if (waiting.length === 0) return null;
  return (
    <Stack gap="xs" p="xs" role="status">
      {waiting.map(({ id, text, request, expiresAt, conversationId: of }) => (
        <Alert key={id} color="yellow" variant="light" icon={<IconShieldQuestion aria-hidden />} title={inbox.approvalTitle}>
          <Text style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{text}</Text>
          <Note size="xs">
            {request.method} {request.url} · {inbox.approvalUntil(formats.time(expiresAt))}
          </Note>
          {!conversationId && <PageLink to={`inbox/conversations/${of}`} label={inbox.conversation} />}
          <Group gap="xs" mt="xs">
            <Action
              label={inbox.approve}
              size="xs"
              of={text}
              loading={deciding.fetching}
              onClick={() => decide({ id, approved: true })}
            />
            <SmallAction
              label={inbox.refuse}
              of={text}
              disabled={deciding.fetching}
              onClick={() => decide({ id, approved: false })}
            />
          </Group>
        </Alert>
      ))}
    </Stack>
  );
}
