import { Checkbox, Group, Menu, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlayerPause, IconPlayerPlay, IconPlus, IconTool, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useMutation } from 'urql';
import type { ApiKeysQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { type Column, ShortTable } from '../../parts/data-table.tsx';
import { Action, Note, Submit, Tag } from '../../parts/elements.tsx';
import { Choice, Modal, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { Empty, Loaded, Section } from '../../parts/page-frame.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useStrings } from '../../strings/strings.tsx';

const KEYS = graphql(
  `query ApiKeys { apiKeys { id name prefix expiresAt disabledAt toolGroups createdAt user { id name email } } }`,
);
const ENABLE = graphql(`mutation EnableKey($id: ID!) { enableApiKey(id: $id) { id disabledAt } }`);
const DISABLE = graphql(`mutation DisableKey($id: ID!) { disableApiKey(id: $id) { id disabledAt } }`);
const REVOKE = graphql(`mutation RevokeKey($id: ID!) { revokeApiKey(id: $id) { id } }`);

type Key = ApiKeysQuery['apiKeys'][number];

export function Part() {
  const { keys: strings, settings } = useStrings();
  const query = useQuery({ query: KEYS });
  const [creating, { open, close }] = useDisclosure();
  const [changed, setChanged] = useState<Key>();
  const columns = useColumns(setChanged);
  const button = <Action label={strings.create} size="xs" onClick={open} leftSection={<IconPlus size={16} aria-hidden />} />;
  return (
    <Section title={settings.parts.keys} actions={button}>
      <Loaded query={query}>
        {({ apiKeys }) =>
          apiKeys.length === 0 ? (
            <Empty icon={IconKey} title={strings.empty} text={strings.emptyText} />
          ) : (
            <ShortTable label={settings.parts.keys} columns={columns} rows={apiKeys} />
          )
        }
      </Loaded>
      {creating && <NewKey onClose={close} />}
      {changed && <KeyTools apiKey={changed} onClose={() => setChanged(undefined)} />}
    </Section>
  );
}

function useColumns(changeTools: (key: Key) => void): Column<Key>[] {
  const { keys, terms, formats } = useStrings();
  return [
    {
      key: 'name',
      title: terms.name,
      cell: ({ name, prefix }) => (
        <>
          <Text truncate>{name}</Text>
          <Note size="xs" ff="monospace">
            {prefix}…
          </Note>
        </>
      ),
    },
    { key: 'status', title: terms.status, width: 130, cell: (row) => <Status apiKey={row} /> },
    { key: 'user', title: keys.user, from: 'md', cell: ({ user }) => user?.name ?? '–' },
    {
      key: 'tools',
      title: keys.tools,
      from: 'xl',
      cell: ({ toolGroups }) => toolGroups.map((group) => keys.groups[group]).join(', ') || terms.none,
    },
    {
      key: 'expires',
      title: terms.expires,
      from: 'sm',
      width: 150,
      cell: ({ expiresAt }) => (expiresAt ? formats.date(expiresAt) : keys.never),
    },
    { key: 'created', title: terms.created, from: 'lg', width: 150, cell: ({ createdAt }) => formats.date(createdAt) },
    { key: 'actions', title: '', width: 50, cell: (row) => <Actions apiKey={row} changeTools={changeTools} /> },
  ];
}

function Status({ apiKey: { disabledAt, expiresAt } }: { apiKey: Key }) {
  const { keys, terms } = useStrings();
  const isExpired = expiresAt != null && Date.parse(expiresAt) < Date.now();
  const [color, label] = isExpired ? ['gray', keys.expired] : disabledAt ? ['red', terms.disabled] : ['teal', terms.active];
  return <Tag label={label} color={color} />;
}

function Actions({ apiKey, changeTools }: { apiKey: Key; changeTools(key: Key): void }) {
  const { keys, actions } = useStrings();
  const { id, name, disabledAt } = apiKey;
  const [enable] = useAction(ENABLE, { done: keys.enabledDone });
  const [disable] = useAction(DISABLE, { done: keys.disabledDone });
  const ask = { title: keys.revokeTitle(name), text: keys.revokeText, action: keys.revoke };
  const [revoke] = useAction(REVOKE, { ask, done: keys.revoked });
  return (
    <MoreMenu label={actions.actionsOf(name)}>
      <MenuAction label={keys.changeTools} icon={IconTool} onClick={() => changeTools(apiKey)} />
      {disabledAt ? (
        <MenuAction label={actions.enable} icon={IconPlayerPlay} onClick={() => enable({ id })} />
      ) : (
        <MenuAction label={actions.disable} icon={IconPlayerPause} onClick={() => disable({ id })} />
      )}
      <Menu.Divider />
      <MenuAction label={keys.revoke} color="red" icon={IconTrash} onClick={() => revoke({ id })} />
    </MoreMenu>
  );
}

const CREATE = graphql(`
  mutation CreateKey($name: String!, $expiresAt: DateTime, $toolGroups: [ToolGroup!]) {
    createApiKey(name: $name, expiresAt: $expiresAt, toolGroups: $toolGroups) { key apiKey { id } }
  }
`);
const DAY_MS = 86_400_000;
const PERIODS = ['30', '90', '365', ''] as const;

/** Creates a key and shows its value once. */
function NewKey({ onClose }: { onClose(): void }) {
  const { keys, terms, actions } = useStrings();
  const [{ fetching }, create] = useMutation(CREATE);
  const [made, setMade] = useState('');
  const form = useClosingForm({ initialValues: { name: '', days: '90', toolGroups: [...readGroups] }, required: ['name'] });

  async function submit({ name, days, toolGroups }: typeof form.values) {
    const expiresAt = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null;
    const { data } = await create({ name, toolGroups, expiresAt }, { showsSecret: true });
    if (data?.createApiKey.key) setMade(data.createApiKey.key);
  }
  return (
    <Modal guarded={!made} onClose={onClose} title={made ? form.values.name : keys.create} size="lg" closeOnClickOutside={!made}>
      {made ? (
        <Secret value={made} label={keys.value} text={keys.once} />
      ) : (
        <form onSubmit={form.onSubmit(submit)}>
          <Stack>
            <TextInput {...form.field('name', terms.name, keys.nameHelp)} data-autofocus maxLength={255} />
            <Choice
              {...form.field('days', terms.expires)}
              data={PERIODS.map((value) => ({ value, label: value ? keys.days(Number(value)) : keys.never }))}
            />
            <ToolGroups {...form.getInputProps('toolGroups')} />
            <Submit label={actions.create} loading={fetching} />
          </Stack>
        </form>
      )}
    </Modal>
  );
}

const CHANGE = graphql(`
  mutation ChangeKeyTools($id: ID!, $toolGroups: [ToolGroup!]!) { updateApiKey(id: $id, toolGroups: $toolGroups) { id toolGroups } }
`);

type ToolGroup = ApiKeysQuery['apiKeys'][number]['toolGroups'][number];

// A record, so that a group that is missing here is an error of the types.
const groups: Record<ToolGroup, true> = {
  'catalog-read': true,
  'catalog-write': true,
  jobs: true,
  'agents-read': true,
  'agents-write': true,
  'integration-read': true,
  'integration-write': true,
  'site-content-read': true,
  'site-content-write': true,
};
const all = Object.keys(groups) as ToolGroup[];
/** The groups that change nothing, which new keys have by default. */
const readGroups = all.filter((group) => group.endsWith('-read'));

interface Props {
  value?: ToolGroup[];
  onChange(groups: ToolGroup[]): void;
  error?: ReactNode;
}

/** The MCP tools that a key may call. */
function ToolGroups({ value, onChange, error }: Props) {
  const { keys } = useStrings();
  return (
    <Checkbox.Group
      label={keys.tools}
      description={keys.toolsHelp}
      value={value}
      onChange={(next) => onChange(next as ToolGroup[])}
      error={error}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" my="xs">
        {all.map((group) => (
          <Checkbox key={group} value={group} label={keys.groups[group]} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

function KeyTools({ apiKey: { id, name, toolGroups }, onClose }: { apiKey: ApiKeysQuery['apiKeys'][number]; onClose(): void }) {
  const { keys, actions } = useStrings();
  const [chosen, setChosen] = useState<ToolGroup[]>(toolGroups);
  const save = useButton(CHANGE, { done: keys.saved, after: onClose });
  return (
    <Modal onClose={onClose} title={name}>
      <Stack>
        <ToolGroups value={chosen} onChange={setChosen} />
        <Group justify="end">
          <Action label={actions.save} {...save({ id, toolGroups: chosen })} />
        </Group>
      </Stack>
    </Modal>
  );
}
