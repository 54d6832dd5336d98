import { ActionIcon, Button, Menu, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useDisclosure } from '@mantine/hooks';
import { IconCalendarTime, IconDots, IconEyeOff, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { useConfirm } from '../parts/confirm.ts';
import { usePicker } from '../parts/dates.ts';
import { Modal } from '../parts/dialog.tsx';
import { showDone } from '../parts/toast.ts';
import { useFormats, useStrings } from '../strings/strings.tsx';
import type { Kind, SiteRecord } from './kind.ts';
import { Status } from './status.tsx';

interface Props {
  kind: Kind;
  record: SiteRecord;
  /** Whether unsaved edits exist, which a publication would leave out. */
  isEdited: boolean;
  onRemoved(): void;
}

/** The status of a record, and what can be done with the whole of it. */
export function Publication({ kind, record, isEdited, onRemoved }: Props) {
  const { content, actions } = useStrings();
  const formats = useFormats();
  const confirm = useConfirm();
  const [scheduling, { open, close }] = useDisclosure();
  // The kinds without publication have no such buttons, so the fallback never runs.
  const [{ fetching }, publish] = useMutation(kind.publish ?? kind.remove);
  const [, unpublish] = useMutation(kind.unpublish ?? kind.remove);
  const [, remove] = useMutation(kind.remove);
  const { id, status, publishedAt, publishAt } = record;

  async function run(change: typeof publish, done: string) {
    const { data } = await change({ id });
    if (data) showDone(done);
  }
  async function askToRemove() {
    const { removeText: text } = content;
    if (!(await confirm({ title: content.removeTitle(kind.title(record)), text, action: actions.remove, danger: true }))) return;
    const { data } = await remove({ id });
    if (!data) return;
    showDone(content.removed);
    onRemoved();
  }
  const time = status === 'scheduled' ? publishAt : publishedAt;
  return (
    <>
      {status && <Status status={status} />}
      {time && <Text size="sm">{formats.time(time)}</Text>}
      {kind.publish && (
        <Button
          onClick={() => run(publish, content.published)}
          loading={fetching}
          disabled={isEdited}
          title={isEdited ? content.saveFirst : undefined}
          variant={status === 'published' ? 'default' : 'filled'}
        >
          {status === 'published' ? content.publishAgain : content.publish}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={content.more}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {kind.schedule && (
            <Menu.Item
              leftSection={<IconCalendarTime size={16} aria-hidden />}
              onClick={open}
              disabled={isEdited || status === 'published'}
            >
              {content.schedule}
            </Menu.Item>
          )}
          {kind.unpublish && status !== 'draft' && (
            <Menu.Item leftSection={<IconEyeOff size={16} aria-hidden />} onClick={() => run(unpublish, content.unpublished)}>
              {status === 'scheduled' ? content.cancelSchedule : content.unpublish}
            </Menu.Item>
          )}
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={askToRemove}>
            {actions.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {scheduling && <Schedule kind={kind} id={id} onClose={close} />}
    </>
  );
}

function Schedule({ kind, id, onClose }: { kind: Kind; id: string; onClose(): void }) {
  const { content, signIn } = useStrings();
  const [{ fetching }, schedule] = useMutation(kind.schedule!);
  const picker = usePicker();
  const [time, setTime] = useState<string | null>(null);
  const [problem, setProblem] = useState('');

  async function submit() {
    if (!time) return setProblem(signIn.required);
    const publishAt = new Date(time);
    if (publishAt.getTime() <= Date.now()) return setProblem(content.inPast);
    const { data } = await schedule({ id, publishAt: publishAt.toISOString() });
    if (!data) return;
    showDone(content.scheduled);
    onClose();
  }
  return (
    <Modal onClose={onClose} title={content.schedule}>
      <Stack>
        <DateTimePicker
          {...picker}
          data-autofocus
          label={content.publishAt}
          value={time}
          onChange={setTime}
          error={problem}
          minDate={new Date()}
        />
        <Button onClick={submit} loading={fetching} style={{ alignSelf: 'end' }}>
          {content.schedule}
        </Button>
      </Stack>
    </Modal>
  );
}
