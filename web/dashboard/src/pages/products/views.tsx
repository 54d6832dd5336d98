import { Menu } from '@mantine/core';
import { IconBookmark, IconDeviceFloppy, IconListDetails } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '../../graph/graph-hooks.ts';
import { Action } from '../../parts/elements.tsx';
import { MenuAction } from '../../parts/more-menu.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { useFilters } from './filter-state.ts';
import { VIEWS } from './saved-views.ts';

const SaveView = lazy(async () => ({ default: (await import('./view-dialogs.tsx')).SaveView }));
const ManageViews = lazy(async () => ({ default: (await import('./view-dialogs.tsx')).ManageViews }));

const isSame = (one: object, other: object) =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/** The saved views of the list: opens one, saves the current one, and manages them. */
export function Views({ settings, apply }: Pick<ReturnType<typeof useFilters>, 'settings' | 'apply'>) {
  const { productViews: words } = useStrings();
  const [{ data }] = useQuery({ query: VIEWS });
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const views = data?.productViews ?? [];
  const current = views.find((view) => isSame(view.settings, settings));
  const groups = [
    { label: words.ownViews, views: views.filter(({ isOwn }) => isOwn) },
    { label: words.sharedViews, views: views.filter(({ isOwn }) => !isOwn) },
  ];
  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>
          <Action label={current?.name ?? words.views} variant="default" icon={IconBookmark} maw={220} />
        </Menu.Target>
        <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
          {groups.map(
            ({ label, views: ofGroup }) =>
              ofGroup.length > 0 && (
                <div key={label}>
                  <Menu.Label>{label}</Menu.Label>
                  {ofGroup.map((view) => (
                    <Menu.Item
                      key={view.id}
                      fw={view === current ? 600 : undefined}
                      onClick={() => apply(view.settings)}
                      style={{ overflowWrap: 'anywhere' }}
                    >
                      {view.name}
                    </Menu.Item>
                  ))}
                </div>
              ),
          )}
          {views.length > 0 && <Menu.Divider />}
          <MenuAction label={words.usualView} disabled={Object.keys(settings).length === 0} onClick={() => apply({})} />
          <MenuAction label={words.saveView} icon={IconDeviceFloppy} onClick={() => setOpen('save')} />
          {views.length > 0 && <MenuAction label={words.manageViews} icon={IconListDetails} onClick={() => setOpen('manage')} />}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {open === 'save' && <SaveView views={views} current={current} settings={settings} onClose={() => setOpen(null)} />}
        {open === 'manage' && <ManageViews views={views} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  );
}
