import { ActionIcon, Alert, Anchor, Group, Menu, Text } from '@mantine/core';
import { IconArrowLeft, IconDots } from '@tabler/icons-react';
import { Link, useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useConfirm } from '../../../parts/confirm.ts';
import { useAddress, useOrganization } from '../../../session/organization.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import classes from './conversations.module.css';
import { type Conversation, DELETE, SET_STATUS } from './documents.ts';
import { HandoffButtons } from './handoff-buttons.tsx';
import { StateBadge, visitorName } from './link.tsx';

interface Props {
  conversation: Conversation;
  agentName: string;
}

/** The participants of the conversation, and its actions. */
export function Header({ conversation, agentName }: Props) {
  const { inbox, actions } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const { visitorId, channel, createdAt, openHandoff, contact } = conversation;
  return (
    <>
      <Group className={classes.bar} justify="space-between" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <ActionIcon
            component={Link}
            to={address('inbox/conversations')}
            variant="subtle"
            color="gray"
            className={classes.back}
            aria-label={actions.back}
          >
            <IconArrowLeft size={18} aria-hidden />
          </ActionIcon>
          <div>
            <Group gap="xs">
              <Text fw={600} size="sm" component="h2">
                {channel === 'admin' ? inbox.playground : visitorName(inbox.visitor, visitorId)}
              </Text>
              <StateBadge conversation={conversation} />
            </Group>
            <Text size="xs" c="dimmed">
              {[agentName, formats.time(createdAt)].filter(Boolean).join(' · ')}
              {contact && ' · '}
              {contact && (
                <Anchor component={Link} size="xs" to={address(`inbox/contacts/${contact.id}`)}>
                  {contact.name || contact.email || inbox.contact}
                </Anchor>
              )}
            </Text>
          </div>
        </Group>
        <Group gap="xs">
          {channel === 'widget' && <HandoffButtons conversation={conversation} />}
          <More conversation={conversation} />
        </Group>
      </Group>
      {openHandoff?.status === 'waiting' && (
        <Alert color="red" variant="light" radius={0} p="xs" role="status">
          {inbox.requested(formats.ago(openHandoff.createdAt))} {openHandoff.reason && `“${openHandoff.reason}”`}
        </Alert>
      )}
    </>
  );
}

function More({ conversation: { id, status } }: { conversation: Conversation }) {
  const { inbox } = useStrings();
  const { isAdmin } = useOrganization();
  const address = useAddress();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const [, setStatus] = useMutation(SET_STATUS);
  const [, remove] = useMutation(DELETE);

  async function ask() {
    const question = { title: inbox.deleteTitle, text: inbox.deleteText, action: inbox.delete, danger: true };
    if (!(await confirm(question))) return;
    // The page of a deleted conversation would show an error, so leave it first.
    const { data } = await remove({ id }, { keep: true });
    if (data) navigate(address('inbox/conversations'));
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={inbox.more}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setStatus({ id, status: status === 'open' ? 'closed' : 'open' })}>
          {status === 'open' ? inbox.closeConversation : inbox.reopen}
        </Menu.Item>
        {isAdmin && (
          <Menu.Item color="red" onClick={ask}>
            {inbox.delete}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
