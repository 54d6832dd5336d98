import { ActionIcon, Autocomplete, Checkbox, Group, Menu, Stack, Text } from '@mantine/core';
import { IconBookmark, IconDeviceFloppy, IconListDetails, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ProductViewsQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { Action, Note, Tag } from '../../parts/elements.tsx';
import { FormDialog, Modal, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { MenuAction } from '../../parts/more-menu.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { useFilters } from './filter-state.ts';

const VIEWS = graphql(`
  query ProductViews { productViews { id name isShared isOwn settings owner { id name email } } }
`);

type View = ProductViewsQuery['productViews'][number];

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
      {open === 'save' && <SaveView views={views} current={current} settings={settings} onClose={() => setOpen(null)} />}
      {open === 'manage' && <ManageViews views={views} onClose={() => setOpen(null)} />}
    </>
  );
}

const SAVE = graphql(`mutation SaveProductView($input: ProductViewInput!) { saveProductView(input: $input) { id } }`);
const DELETE = graphql(`mutation DeleteProductView($id: ID!) { deleteProductView(id: $id) { id } }`);

interface SaveProps {
  views: readonly View[];
  /** The view that the list shows. */
  current?: View;
  settings: Record<string, string>;
  onClose(): void;
}

const foldName = (name: string) => name.trim().toLowerCase();

/** Saves filters, columns and order of the list under a name. A view of the user with this name is replaced. */
function SaveView({ views, current, settings, onClose }: SaveProps) {
  const { actions, productViews: words, terms } = useStrings();
  const [save] = useAction(SAVE, { done: words.saved, after: onClose });
  const own = views.filter(({ isOwn }) => isOwn);
  const form = useClosingForm({
    initialValues: { name: current?.isOwn ? current.name : '', isShared: current?.isShared ?? false },
    required: ['name'],
  });
  const replaced = own.find(({ name }) => foldName(name) === foldName(form.values.name));
  const submit = ({ name, isShared }: typeof form.values) => save({ input: { name: name.trim(), isShared, settings } });
  return (
    <FormDialog
      guarded
      title={words.saveTitle}
      onClose={onClose}
      form={form}
      onSubmit={submit}
      submit={replaced ? actions.replace : actions.save}
    >
      <Note>{words.saveText}</Note>
      <Autocomplete
        {...form.field('name', terms.name, replaced && words.replaces)}
        data={own.map((view) => view.name)}
        comboboxProps={{ withinPortal: false }}
        maxLength={100}
        data-autofocus
      />
      <Checkbox {...form.check('isShared', words.share, words.shareText)} />
    </FormDialog>
  );
}

/** All views that the user sees. Own ones can be deleted, and by admins also shared ones. */
function ManageViews({ views, onClose }: { views: readonly View[]; onClose(): void }) {
  const { productViews: words } = useStrings();
  return (
    <Modal title={words.views} onClose={onClose}>
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }} aria-label={words.views}>
        {views.map((view) => (
          <ViewEntry key={view.id} view={view} />
        ))}
      </Stack>
      {views.length === 0 && <Note>{words.none}</Note>}
    </Modal>
  );
}

function ViewEntry({ view: { id, name, isShared, isOwn, owner } }: { view: View }) {
  const { productViews: words, actions } = useStrings();
  const { isAdmin } = useOrganization();
  const remove = useButton(DELETE, {
    ask: { title: words.deleteTitle(name), text: isShared ? words.deleteShared : words.deleteText, action: actions.delete },
    done: words.deleted,
  });
  const mayDelete = isOwn || isAdmin;
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Text truncate>{name}</Text>
        {!isOwn && <Note size="xs">{owner?.name || owner?.email}</Note>}
      </div>
      <Group gap="xs" wrap="nowrap">
        {isShared && <Tag label={words.shared} />}
        {mayDelete && (
          <ActionIcon variant="subtle" color="gray" aria-label={words.deleteOf(name)} {...remove({ id })}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
    </Group>
  );
}
