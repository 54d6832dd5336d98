import { ActionIcon, Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useConfirm } from '../../parts/confirm.ts';
import { showDone } from '../../parts/toast.ts';
import { useAddress } from '../../session/organization.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Editor } from '../../webhooks/editor.tsx';
import type { Webhook } from '../../webhooks/surface.ts';
import { surfaces } from '../../webhooks/surfaces.ts';
import { ReplayForm } from './replay-form.tsx';
import { SigningSecret } from './signing-secret.tsx';
import { useSwitch } from './use-switch.ts';

/** The actions on a webhook. */
export function Actions({ webhook }: { webhook: Webhook }) {
  const { id, surface, enabled } = webhook;
  const { webhooks, deliveries } = useStrings();
  const address = useAddress();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const [{ fetching: testing }, test] = useMutation(surfaces[surface].test);
  const [, remove] = useMutation(surfaces[surface].remove);
  const [editing, editor] = useDisclosure();
  const [replaying, replay] = useDisclosure();
  const [showing, secret] = useDisclosure();
  const { enable, disable } = useSwitch(webhook);

  async function sendTest() {
    const { data } = await test({ id });
    if (data) showDone(webhooks.testDone);
  }
  async function askToRemove() {
    const { removeTitle: title, removeText: text, remove: action } = webhooks;
    if (!(await confirm({ title, text, action, danger: true }))) return;
    const { data } = await remove({ id });
    if (!data) return;
    showDone(webhooks.removed);
    navigate(address('webhooks'));
  }
  return (
    <>
      <Button
        variant="default"
        onClick={sendTest}
        loading={testing}
        disabled={!enabled}
        leftSection={<IconSend size={16} aria-hidden />}
      >
        {webhooks.test}
      </Button>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={webhooks.more}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={replay.open} disabled={!enabled}>
            {deliveries.replayMany}
          </Menu.Item>
          {surface !== 'events' && (
            <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={editor.open}>
              {webhooks.edit}
            </Menu.Item>
          )}
          {surface === 'sites' && (
            <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={secret.open}>
              {webhooks.secret}
            </Menu.Item>
          )}
          {!enabled && (
            <Menu.Item leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={enable}>
              {webhooks.enable}
            </Menu.Item>
          )}
          {enabled && disable && (
            <Menu.Item leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={disable}>
              {webhooks.disable}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={askToRemove}>
            {webhooks.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {editing && <Editor onClose={editor.close} webhook={webhook} />}
      {replaying && <ReplayForm webhook={webhook} onClose={replay.close} />}
      {showing && <SigningSecret id={id} onClose={secret.close} />}
    </>
  );
}
