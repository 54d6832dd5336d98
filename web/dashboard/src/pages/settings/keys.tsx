import { ActionIcon, Badge, Button, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconKey, IconPlayerPause, IconPlayerPlay, IconPlus, IconTool, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { ApiKeysQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useConfirm } from '../../parts/confirm.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Section } from '../../parts/section.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { showDone } from '../../parts/toast.ts';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { NewKey } from './new-key.tsx';
import { KeyTools } from './tool-groups.tsx';

const KEYS = graphql(
  `query ApiKeys { apiKeys { id name prefix expiresAt disabledAt toolGroups createdAt user { id name email } } }`,
);
const ENABLE = graphql(`mutation EnableKey($id: ID!) { enableApiKey(id: $id) { id disabledAt } }`);
const DISABLE = graphql(`mutation DisableKey($id: ID!) { disableApiKey(id: $id) { id disabledAt } }`);
const REVOKE = graphql(`mutation RevokeKey($id: ID!) { revokeApiKey(id: $id) { id } }`);

type Key = ApiKeysQuery['apiKeys'][number];

/** The API keys of the organization. */
export function Part() {
  const { keys: strings } = useStrings();
  const query = useQuery({ query: KEYS });
  const [creating, { open, close }] = useDisclosure();
  const [changed, setChanged] = useState<Key>();
  const columns = useColumns(setChanged);
  const button = (
    <Button size="xs" onClick={open} leftSection={<IconPlus size={16} aria-hidden />}>
      {strings.create}
    </Button>
  );
  return (
    <Section title={strings.title} actions={button}>
      <Loaded query={query}>
        {({ apiKeys }) =>
          apiKeys.length === 0 ? (
            <Empty icon={IconKey} title={strings.empty} text={strings.emptyText} />
          ) : (
            <ShortTable label={strings.title} columns={columns} rows={apiKeys} />
          )
        }
      </Loaded>
      {creating && <NewKey onClose={close} />}
      {changed && <KeyTools apiKey={changed} onClose={() => setChanged(undefined)} />}
    </Section>
  );
}

function useColumns(changeTools: (key: Key) => void): Column<Key>[] {
  const { keys, signIn } = useStrings();
  const formats = useFormats();
  return [
    {
      key: 'name',
      title: signIn.name,
      cell: ({ name, prefix }) => (
        <>
          <Text size="sm" truncate>
            {name}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {prefix}…
          </Text>
        </>
      ),
    },
    { key: 'status', title: keys.status, width: 130, cell: (row) => <Status apiKey={row} /> },
    { key: 'user', title: keys.user, from: 'md', cell: ({ user }) => user?.name ?? '–' },
    { key: 'tools', title: keys.tools, from: 'xl', cell: ({ toolGroups }) => toolGroups.join(', ') || keys.noTools },
    {
      key: 'expires',
      title: keys.expires,
      from: 'sm',
      width: 150,
      cell: ({ expiresAt }) => (expiresAt ? formats.date(expiresAt) : keys.never),
    },
    { key: 'created', title: keys.created, from: 'lg', width: 150, cell: ({ createdAt }) => formats.date(createdAt) },
    { key: 'actions', title: '', width: 50, cell: (row) => <Actions apiKey={row} changeTools={changeTools} /> },
  ];
}

function Status({ apiKey: { disabledAt, expiresAt } }: { apiKey: Key }) {
  const { keys } = useStrings();
  const isExpired = expiresAt != null && Date.parse(expiresAt) < Date.now();
  const [color, label] = isExpired ? ['gray', keys.expired] : disabledAt ? ['red', keys.disabled] : ['teal', keys.active];
  return (
    <Badge color={color} variant="light">
      {label}
    </Badge>
  );
}

function Actions({ apiKey, changeTools }: { apiKey: Key; changeTools(key: Key): void }) {
  const { keys } = useStrings();
  const confirm = useConfirm();
  const [, enable] = useMutation(ENABLE);
  const [, disable] = useMutation(DISABLE);
  const [, revoke] = useMutation(REVOKE);
  const { id, name, disabledAt } = apiKey;

  async function run(change: typeof enable | typeof disable | typeof revoke, done: string) {
    const { data } = await change({ id });
    if (data) showDone(done);
  }
  async function askToRevoke() {
    const { revokeText: text, revoke: action } = keys;
    if (await confirm({ title: keys.revokeTitle(name), text, action, danger: true })) await run(revoke, keys.revoked);
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={keys.actionsOf(name)}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconTool size={16} aria-hidden />} onClick={() => changeTools(apiKey)}>
          {keys.changeTools}
        </Menu.Item>
        {disabledAt ? (
          <Menu.Item leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => run(enable, keys.enabledDone)}>
            {keys.enable}
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={() => run(disable, keys.disabledDone)}>
            {keys.disable}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={askToRevoke}>
          {keys.revoke}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
