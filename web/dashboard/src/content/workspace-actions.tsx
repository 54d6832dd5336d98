import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconPencil, IconPlus, IconTrash, IconUsers } from '@tabler/icons-react';
import { useMutation } from 'urql';
import { useConfirm } from '../parts/confirm.ts';
import { showDone } from '../parts/toast.ts';
import { useOrganization } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';
import { NameForm } from './name-form.tsx';
import { REMOVE_WORKSPACE, type WorkspaceRow } from './sites.ts';
import { WorkspaceMembers } from './workspace-members.tsx';

/** The actions of owners and admins on a workspace. Everyone can see its members. */
export function WorkspaceActions({ workspace }: { workspace: WorkspaceRow }) {
  const { content, actions } = useStrings();
  const { isAdmin } = useOrganization();
  const confirm = useConfirm();
  const [, remove] = useMutation(REMOVE_WORKSPACE);
  const [renaming, rename] = useDisclosure();
  const [creating, create] = useDisclosure();
  const [managing, manage] = useDisclosure();
  const { id, name } = workspace;

  async function askToRemove() {
    const { removeWorkspaceText: text } = content;
    if (!(await confirm({ title: content.removeTitle(name), text, action: actions.remove, danger: true }))) return;
    const { data } = await remove({ id });
    if (data) showDone(content.removed);
  }
  return (
    <Group gap="xs">
      {isAdmin && (
        <Button size="xs" variant="default" onClick={create.open} leftSection={<IconPlus size={14} aria-hidden />}>
          {content.newSite}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={content.actionsOf(name)}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconUsers size={16} aria-hidden />} onClick={manage.open}>
            {content.members}
          </Menu.Item>
          {isAdmin && (
            <>
              <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={rename.open}>
                {actions.rename}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={askToRemove}>
                {actions.remove}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {renaming && <NameForm kind="workspace" record={workspace} onClose={rename.close} />}
      {creating && <NameForm kind="site" workspaceId={id} onClose={create.close} />}
      {managing && <WorkspaceMembers id={id} onClose={manage.close} />}
    </Group>
  );
}
