import { Breadcrumbs, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useDisclosure } from '@mantine/hooks';
import { IconCalendarTime, IconEyeOff, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction, useButton, useQuery } from '../graph/graph-hooks.ts';
import { usePicker } from '../parts/dates.ts';
import { Action, LinkAction, PageLink } from '../parts/elements.tsx';
import { Modal } from '../parts/forms-and-dialogs.tsx';
import { MenuAction, MoreMenu } from '../parts/more-menu.tsx';
import { LoadedPage, PageTitle } from '../parts/page-frame.tsx';
import { useGo } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import type { Kind, KindName, Place, SiteRecord } from './content-kind.ts';
import { RecordForm } from './record-form.tsx';
import { Status } from './record-list.tsx';

interface Props {
  /** `new` for a new record. */
  id: string;
  name: KindName;
  kind: Kind;
  place: Place;
  /** The address of the list, below the organization. */
  parent: string;
  steps: { label: string; path: string }[];
}

/** The editor of a record, with its publication. */
export function RecordPage(props: Props) {
  return props.id === 'new' ? <NewRecord {...props} /> : <OldRecord {...props} />;
}

function NewRecord({ name, kind, place, parent, steps }: Props) {
  const { content } = useStrings();
  const { go } = useGo();
  return (
    <>
      <Crumbs steps={steps} />
      <PageTitle title={content.create[name]} />
      <RecordForm kind={kind} place={place} onDone={(id) => go(`${parent}/${id}`, { replace: true })} />
    </>
  );
}

function OldRecord({ id, name, kind, place, parent, steps }: Props) {
  const { content, terms } = useStrings();
  const { leaveTo } = useGo();
  // A cached record would start the form from a former version.
  const query = useQuery({ query: kind.read, variables: { ...place, id }, requestPolicy: 'cache-and-network' });
  const [isEdited, setEdited] = useState(false);
  const onRemoved = () => leaveTo(parent);
  const contents = { collections: ['items', content.kinds.items], forms: ['submissions', terms.submissions] } as const;
  const [below, label] = name === 'collections' || name === 'forms' ? contents[name] : [];
  return (
    <LoadedPage query={query}>
      {({ record }) => (
        <>
          <Crumbs steps={steps} />
          <PageTitle title={kind.title(record)}>
            {below && <LinkAction label={label} to={`${parent}/${id}/${below}`} variant="default" />}
            <Publication kind={kind} record={record} isEdited={isEdited} onRemoved={onRemoved} />
          </PageTitle>
          <RecordForm kind={kind} place={place} record={record} onEdited={setEdited} />
        </>
      )}
    </LoadedPage>
  );
}

interface PublicationProps {
  kind: Kind;
  record: SiteRecord;
  /** Whether unsaved edits exist, which a publication would leave out. */
  isEdited: boolean;
  onRemoved(): void;
}

/** The status of a record, and what can be done with the whole of it. */
function Publication({ kind, record, isEdited, onRemoved }: PublicationProps) {
  const { content, actions, terms, formats } = useStrings();
  const [scheduling, { open, close }] = useDisclosure();
  // The kinds without publication have no such buttons, so the fallback never runs.
  const publish = useButton(kind.publish ?? kind.remove, { done: content.published });
  const [unpublish] = useAction(kind.unpublish ?? kind.remove, { done: content.unpublished });
  const ask = { title: actions.deleteTitle(kind.title(record)), text: content.removeText, action: actions.delete };
  const [remove] = useAction(kind.remove, { ask, done: terms.deleted, after: onRemoved });
  const { id, status, publishedAt, publishAt } = record;

  const time = status === 'scheduled' ? publishAt : publishedAt;
  return (
    <>
      {status && <Status status={status} />}
      {time && <Text>{formats.time(time)}</Text>}
      {kind.publish && (
        <Action
          label={status === 'published' ? content.publishAgain : actions.publish}
          disabled={isEdited}
          title={isEdited ? content.saveFirst : undefined}
          variant={status === 'published' ? 'default' : 'filled'}
          {...publish({ id })}
        />
      )}
      <MoreMenu label={actions.more} beside>
        {kind.schedule && (
          <MenuAction
            label={content.schedule}
            icon={IconCalendarTime}
            onClick={open}
            disabled={isEdited || status === 'published'}
          />
        )}
        {kind.unpublish && status !== 'draft' && (
          <MenuAction
            label={status === 'scheduled' ? content.cancelSchedule : content.unpublish}
            icon={IconEyeOff}
            onClick={() => unpublish({ id })}
          />
        )}
        <MenuAction label={actions.delete} color="red" icon={IconTrash} onClick={() => remove({ id })} />
      </MoreMenu>
      {scheduling && <Schedule kind={kind} id={id} onClose={close} />}
    </>
  );
}

function Schedule({ kind, id, onClose }: { kind: Kind; id: string; onClose(): void }) {
  const { content, terms } = useStrings();
  const [schedule, fetching] = useAction(kind.schedule!, { done: content.scheduled, after: onClose });
  const picker = usePicker();
  const [time, setTime] = useState<string | null>(null);
  const [problem, setProblem] = useState('');

  async function submit() {
    if (!time) return setProblem(terms.required);
    const publishAt = new Date(time);
    if (publishAt.getTime() <= Date.now()) return setProblem(content.inPast);
    await schedule({ id, publishAt: publishAt.toISOString() });
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
        <Action label={content.schedule} onClick={submit} loading={fetching} style={{ alignSelf: 'end' }} />
      </Stack>
    </Modal>
  );
}

const WRAPPED = { root: { flexWrap: 'wrap' }, breadcrumb: { whiteSpace: 'normal', overflowWrap: 'anywhere' } } as const;

/** The way back from a part of the site content; `path` is below `content/`. */
export function Crumbs({ steps = [] }: { steps?: { label: string; path: string }[] }) {
  const { pages, content } = useStrings();
  return (
    <Breadcrumbs component="nav" aria-label={content.way} mb="xs" styles={WRAPPED}>
      {[{ label: pages.content, path: '' }, ...steps].map(({ label, path }) => (
        <PageLink key={path} to={`content${path && `/${path}`}`} label={label} />
      ))}
    </Breadcrumbs>
  );
}
