import { JsonInput, NumberInput, TextInput } from '@mantine/core';
import { IconPlus, IconServer2 } from '@tabler/icons-react';
import { useState } from 'react';
import { objectOf } from '../../agents/request-import.ts';
import { graphql, useAction, useQuery } from '../../graph/graph-hooks.ts';
import { actionColumn, type Column, RecordTable } from '../../parts/data-table.tsx';
import { Action, OpenButton, SmallAction } from '../../parts/elements.tsx';
import { editsOf, FormDialog, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { TabProps } from './agent-documents.ts';
import { Server, ServerTools } from './mcp-tools.tsx';

const SERVERS = graphql(`
  query McpServers($agentId: ID!) {
    mcpServers(agentId: $agentId) { id name url headersTemplate timeoutMs }
    tools(agentId: $agentId) { id mcpServerId }
  }
`);
const CREATE_SERVER = graphql(`
  mutation CreateMcpServer($agentId: ID!, $input: NewMcpServer!) {
    createMcpServer(agentId: $agentId, input: $input) { id name url headersTemplate timeoutMs }
  }
`);
const UPDATE_SERVER = graphql(`
  mutation UpdateMcpServer($id: ID!, $input: McpServerChange!) {
    updateMcpServer(id: $id, input: $input) { id name url headersTemplate timeoutMs }
  }
`);
const DELETE_SERVER = graphql(`mutation DeleteMcpServer($id: ID!) { deleteMcpServer(id: $id) { id } }`);

type Open = { kind: 'edit' | 'tools'; server: Server } | { kind: 'new' };

/** The MCP servers of the agent, and the tools chosen of each. */
export function Tab({ agent }: TabProps) {
  const strings = useStrings();
  const { agents } = strings;
  const query = useQuery({ query: SERVERS, variables: { agentId: agent.id } });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const add = <Action label={agents.addServer} icon={IconPlus} onClick={() => setOpen({ kind: 'new' })} />;
  return (
    <Loaded query={query}>
      {({ mcpServers, tools }) => (
        <>
          <RecordTable
            label={agents.tabs.mcp}
            columns={columnsOf(strings, setOpen, ({ id }) => tools.filter(({ mcpServerId }) => mcpServerId === id).length)}
            records={mcpServers}
            text={agents.serversText}
            add={add}
            icon={IconServer2}
            title={agents.noServers}
          />
          {open?.kind === 'tools' && <ServerTools agentId={agent.id} server={open.server} onClose={close} />}
          {(open?.kind === 'edit' || open?.kind === 'new') && (
            <ServerForm
              agentId={agent.id}
              server={open.kind === 'edit' ? open.server : undefined}
              onClose={close}
              onCreated={(server) => setOpen({ kind: 'tools', server })}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

type Strings = ReturnType<typeof useStrings>;

const columnsOf = (
  { actions, agents, table, terms }: Strings,
  onOpen: (open: Open) => void,
  chosen: (server: Server) => number,
): Column<Server>[] => [
  {
    key: 'name',
    title: terms.name,
    cell: (server) => <OpenButton label={server.name} onClick={() => onOpen({ kind: 'tools', server })} />,
  },
  { key: 'url', title: terms.address, from: 'md', cell: ({ url }) => url },
  { key: 'chosen', title: agents.chosenTools, from: 'sm', width: 160, align: 'right', cell: (server) => chosen(server) },
  actionColumn(table.actions, 130, (server) => (
    <>
      <SmallAction
        label={agents.tabs.tools}
        variant="light"
        visibleFrom="sm"
        of={server.name}
        onClick={() => onOpen({ kind: 'tools', server })}
      />
      <SmallAction label={actions.edit} of={server.name} onClick={() => onOpen({ kind: 'edit', server })} />
    </>
  )),
];

interface Props {
  agentId: string;
  server?: Server;
  onClose(): void;
  onCreated(server: Server): void;
}

const headersOf = (server?: Server) => {
  const headers = server?.headersTemplate ?? {};
  return Object.keys(headers).length === 0 ? '' : JSON.stringify(headers, null, 2);
};

const valuesOf = (server?: Server) => ({
  name: server?.name ?? '',
  url: server?.url ?? '',
  headers: headersOf(server),
  timeoutMs: (server?.timeoutMs ?? 10_000) as number | string,
});
type Values = ReturnType<typeof valuesOf>;

const inputOf = ({ name, url, headers, timeoutMs }: Values) => ({
  name: name.trim(),
  url: url.trim(),
  headersTemplate: objectOf(headers),
  timeoutMs: Number(timeoutMs) || null,
});

/** Creates, changes or deletes an MCP server. */
function ServerForm({ agentId, server, onClose, onCreated }: Props) {
  const { actions, agents, terms } = useStrings();
  const [create] = useAction(CREATE_SERVER, { after: (data) => onCreated(data.createMcpServer) });
  const [update] = useAction(UPDATE_SERVER, { after: onClose });
  const ask = { title: actions.deleteTitle(server?.name ?? ''), text: agents.deleteServerText, action: actions.delete };
  const [remove] = useAction(DELETE_SERVER, { ask, after: onClose });
  const form = useClosingForm({
    initialValues: valuesOf(server),
    required: ['name'],
    validate: {
      url: (url) => (/^https?:\/\/./.test(url) && URL.canParse(url) ? null : agents.wrongUrl),
      headers: (text) => (objectOf(text) === undefined ? agents.wrongJson : null),
    },
  });

  function submit(values: Values) {
    const input = inputOf(values);
    if (!server) return create({ agentId, input });
    return update({ id: server.id, input: editsOf(input, inputOf(form.getInitialValues())) });
  }
  return (
    <FormDialog
      side
      guarded
      onClose={onClose}
      size="lg"
      title={server ? server.name : agents.addServer}
      form={form}
      onSubmit={submit}
      submit={actions.save}
      deletion={server && { label: actions.delete, onClick: () => remove({ id: server.id }) }}
    >
      <TextInput {...form.field('name', terms.name)} maxLength={64} data-autofocus />
      <TextInput
        {...form.field('url', terms.address, agents.serverUrlHelp)}
        placeholder="https://mcp.example.com/mcp"
        maxLength={2_000}
        spellCheck={false}
      />
      <JsonInput
        {...form.field('headers', agents.headers, agents.headersHelp)}
        placeholder={'{ "authorization": "Bearer {{secret:SHOP_API_KEY}}" }'}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
      />
      <NumberInput {...form.field('timeoutMs', agents.timeout)} min={500} max={30_000} step={500} allowDecimal={false} />
    </FormDialog>
  );
}
