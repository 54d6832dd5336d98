import { Badge, Group } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { useHandoffQueue } from '../../layout/overview.tsx';
import { Loading, NotFound, PageTitle } from '../../parts/page-frame.tsx';
import { PageTabs } from '../../parts/tabs.tsx';
import { useAddress } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const view = (load: () => Promise<{ View: ComponentType }>) => lazy(async () => ({ default: (await load()).View }));

const views = {
  conversations: view(() => import('./conversations.tsx')),
  tickets: view(() => import('./tickets.tsx')),
  leads: view(async () => ({ View: (await import('./contacts.tsx')).Leads })),
  submissions: view(() => import('./submissions.tsx')),
  contacts: view(async () => ({ View: (await import('./contacts.tsx')).Contacts })),
  settings: view(() => import('./inbox-settings.tsx')),
};
type Name = keyof typeof views;

/** Everything that visitors sent. */
export function Page() {
  const { inbox, pages } = useStrings();
  const address = useAddress();
  const { view: name = 'conversations' } = useParams();
  if (!Object.hasOwn(views, name)) return <NotFound />;
  const View = views[name as Name];
  const labels = { ...inbox.views, conversations: <ConversationsLabel /> };
  return (
    <>
      <PageTitle title={pages.inbox} />
      <PageTabs
        label={pages.inbox}
        value={name}
        tabs={(Object.keys(views) as Name[]).map((value) => ({ value, label: labels[value] }))}
        addressOf={(value) => address(`inbox/${value}`)}
      >
        <Suspense fallback={<Loading />}>
          <View />
        </Suspense>
      </PageTabs>
    </>
  );
}

function ConversationsLabel() {
  const { inbox, formats } = useStrings();
  const queue = useHandoffQueue();
  const waiting = (queue?.waiting ?? 0) + (queue?.approvals.length ?? 0);
  return (
    <Group gap={6} wrap="nowrap" component="span">
      {inbox.views.conversations}
      {waiting > 0 && (
        <Badge size="sm" color="red" circle aria-label={inbox.waitingCount(waiting)}>
          {formats.number(waiting)}
        </Badge>
      )}
    </Group>
  );
}
