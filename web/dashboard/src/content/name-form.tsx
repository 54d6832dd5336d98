import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from 'urql';
import { Modal } from '../parts/dialog.tsx';
import { showDone } from '../parts/toast.ts';
import { useClosingForm } from '../parts/use-closing-form.ts';
import { useStrings } from '../strings/strings.tsx';
import { CHANGE_SITE, CHANGE_WORKSPACE, CREATE_SITE, CREATE_WORKSPACE } from './sites.ts';

interface Props {
  kind: 'workspace' | 'site';
  /** The record to rename; a new one if it is absent. */
  record?: { id: string; name: string; slug: string; version: number };
  /** The workspace of a new site. */
  workspaceId?: string;
  onClose(): void;
}

/** Creates or renames a workspace or a site. */
export function NameForm({ kind, record, workspaceId = '', onClose }: Props) {
  const { content, signIn, actions } = useStrings();
  const [{ fetching: a }, createWorkspace] = useMutation(CREATE_WORKSPACE);
  const [{ fetching: b }, changeWorkspace] = useMutation(CHANGE_WORKSPACE);
  const [{ fetching: c }, createSite] = useMutation(CREATE_SITE);
  const [{ fetching: d }, changeSite] = useMutation(CHANGE_SITE);
  const form = useClosingForm({
    initialValues: { name: record?.name ?? '', slug: record?.slug ?? '' },
    validate: {
      name: (name) => (name.trim() ? null : signIn.required),
      slug: (slug) => (/^[a-z0-9][a-z0-9-]{0,63}$/.test(slug) ? null : signIn.wrongSlug),
    },
  });

  function write(input: { name: string; slug: string }) {
    if (record) {
      const change = { id: record.id, version: record.version, input };
      return kind === 'site' ? changeSite(change) : changeWorkspace(change);
    }
    return kind === 'site' ? createSite({ input: { workspaceId, ...input } }) : createWorkspace({ input });
  }
  async function submit(input: typeof form.values) {
    const { data } = await write(input);
    if (!data) return;
    showDone(content.saved);
    onClose();
  }
  const title = record ? actions.rename : kind === 'site' ? content.newSite : content.newWorkspace;
  return (
    <Modal guarded onClose={onClose} title={title}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput data-autofocus label={content.fields.name} maxLength={255} {...form.getInputProps('name')} />
          <TextInput label={content.fields.slug} description={signIn.slugHelp} maxLength={64} {...form.getInputProps('slug')} />
          <Group justify="end">
            <Button type="submit" loading={a || b || c || d}>
              {record ? actions.save : signIn.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
