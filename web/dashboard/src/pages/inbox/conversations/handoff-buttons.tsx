import { Button, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconHandStop, IconX } from '@tabler/icons-react';
import { useMutation } from 'urql';
import { useConfirm } from '../../../parts/confirm.ts';
import { useOrganization } from '../../../session/organization.tsx';
import { useSession } from '../../../session/session.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { CLOSE, type Conversation, RETURN, TAKE_OVER } from './documents.ts';

/** Take a conversation over, give it back to the agent, or close it. */
export function HandoffButtons({ conversation: { id, openHandoff } }: { conversation: Conversation }) {
  const { inbox } = useStrings();
  const { user } = useSession();
  const { organization } = useOrganization();
  const confirm = useConfirm();
  const [taking, takeOver] = useMutation(TAKE_OVER);
  const [returning, giveBack] = useMutation(RETURN);
  const [closing, close] = useMutation(CLOSE);
  const colleague = openHandoff?.status === 'active' && openHandoff.operatorId !== user.id ? openHandoff.operatorName : undefined;
  const isMine = openHandoff?.status === 'active' && !colleague;
  const hasHelpdesk = organization.modules.includes('helpdesk');

  async function take() {
    if (!colleague) return takeOver({ conversationId: id });
    const question = { title: inbox.takeFromTitle(colleague), text: inbox.takeFromText, action: inbox.takeOver };
    if (await confirm(question)) await takeOver({ conversationId: id, force: true });
  }
  return (
    <>
      {!isMine && (
        <Tooltip label={inbox.needsHelpdesk} disabled={hasHelpdesk}>
          <Button
            size="xs"
            variant={openHandoff?.status === 'waiting' ? 'filled' : 'light'}
            disabled={!hasHelpdesk}
            loading={taking.fetching}
            leftSection={<IconHandStop size={14} aria-hidden />}
            onClick={take}
          >
            {inbox.takeOver}
          </Button>
        </Tooltip>
      )}
      {openHandoff && (
        <>
          <Button
            size="xs"
            variant="default"
            loading={returning.fetching}
            leftSection={<IconArrowBackUp size={14} aria-hidden />}
            onClick={() => giveBack({ id: openHandoff.id })}
          >
            {inbox.handBack}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={closing.fetching}
            leftSection={<IconX size={14} aria-hidden />}
            onClick={() => close({ id: openHandoff.id })}
          >
            {inbox.close}
          </Button>
        </>
      )}
    </>
  );
}
