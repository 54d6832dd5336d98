import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconEye, IconEyeOff, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation } from 'urql';
import { useConfirm } from '../parts/confirm.ts';
import { showDone } from '../parts/toast.ts';
import { useOrganization } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';
import { NameForm } from './name-form.tsx';
import { PUBLISH_SITE, REMOVE_SITE, type SiteRow, UNPUBLISH_SITE } from './sites.ts';

/** The actions of owners and admins on a site. */
export function SiteActions({ site }: { site: SiteRow }) {
  const { content, actions } = useStrings();
  const { isAdmin } = useOrganization();
  const confirm = useConfirm();
  const [, publish] = useMutation(PUBLISH_SITE);
  const [, unpublish] = useMutation(UNPUBLISH_SITE);
  const [, remove] = useMutation(REMOVE_SITE);
  const [renaming, { open, close }] = useDisclosure();
  if (!isAdmin) return null;
  const { id, name, status } = site;

  async function run(change: typeof publish | typeof unpublish | typeof remove, done: string) {
    const { data } = await change({ id });
    if (data) showDone(done);
  }
  async function askToRemove() {
    const { removeSiteText: text } = content;
    if (await confirm({ title: content.removeTitle(name), text, action: actions.remove, danger: true }))
      await run(remove, content.removed);
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={content.actionsOf(name)}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'published' ? (
            <Menu.Item leftSection={<IconEyeOff size={16} aria-hidden />} onClick={() => run(unpublish, content.unpublished)}>
              {content.unpublish}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconEye size={16} aria-hidden />} onClick={() => run(publish, content.published)}>
              {content.publish}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={open}>
            {actions.rename}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={askToRemove}>
            {actions.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {renaming && <NameForm kind="site" record={site} onClose={close} />}
    </>
  );
}
