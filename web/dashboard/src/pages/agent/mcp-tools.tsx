import { Code, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh, IconTool } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useMutation } from 'urql';
import type { McpServersQuery, McpToolsQuery } from '../../../.graph/graphql.ts';
import { codeOf, messageOf } from '../../graph/graph-client.ts';
import { graphql, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { Action, Note, SmallAction, Tag } from '../../parts/elements.tsx';
import { Drawer, typed } from '../../parts/forms-and-dialogs.tsx';
import { Empty, Loaded } from '../../parts/page-frame.tsx';
import { useStrings } from '../../strings/strings.tsx';

export type Server = McpServersQuery['mcpServers'][number];

const REMOTE_TOOLS = graphql(`
  query McpTools($serverId: ID!) {
    mcpTools(serverId: $serverId) { name description inputSchema fault tool { id name enabled } }
  }
`);
const CHOSEN_TOOLS = graphql(`
  query ChosenMcpTools($agentId: ID!) { tools(agentId: $agentId) { id name description enabled mcpServerId } }
`);
const REFRESH = graphql(`mutation RefreshMcpTools($serverId: ID!) { refreshMcpTools(serverId: $serverId) { id } }`);

/** The tools that a server offers now, to be chosen one by one. If the server fails, its error shows instead. */
export function ServerTools({ agentId, server, onClose }: { agentId: string; server: Server; onClose(): void }) {
  const { agents } = useStrings();
  const offered = useQuery({ query: REMOTE_TOOLS, variables: { serverId: server.id }, requestPolicy: 'network-only' });
  const [{ data }] = useQuery({ query: CHOSEN_TOOLS, variables: { agentId } });
  const refresh = useButton(REFRESH, { done: agents.schemasRead });
  const chosen = data?.tools.filter(({ mcpServerId }) => mcpServerId === server.id) ?? [];
  return (
    <Drawer onClose={onClose} size="lg" title={agents.toolsOf(server.name)}>
      <Stack>
        <Text>{agents.chooseToolsText}</Text>
        <Loaded query={offered}>
          {({ mcpTools }) => {
            const ids = new Set(mcpTools.flatMap(({ tool }) => tool?.id ?? []));
            const withdrawn = chosen.filter(({ id }) => !ids.has(id));
            return (
              <>
                {chosen.length > 0 && (
                  <Group justify="space-between">
                    <Note>{agents.chosenOf(ids.size, mcpTools.length)}</Note>
                    <SmallAction label={agents.readSchemas} icon={IconRefresh} {...refresh({ serverId: server.id })} />
                  </Group>
                )}
                {mcpTools.length === 0 && <Empty icon={IconTool} title={agents.noRemoteTools} text={agents.noRemoteToolsText} />}
                <Stack component="ul" aria-label={agents.toolsOf(server.name)} gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
                  {mcpTools.map((tool) => (
                    <RemoteToolEntry key={tool.name} agentId={agentId} serverId={server.id} tool={tool} />
                  ))}
                  {withdrawn.map((tool) => (
                    <WithdrawnTool key={tool.id} agentId={agentId} tool={tool} />
                  ))}
                </Stack>
              </>
            );
          }}
        </Loaded>
      </Stack>
    </Drawer>
  );
}

const CHOOSE_TOOL = graphql(`
  mutation ChooseMcpTool($serverId: ID!, $input: NewMcpTool!) { createMcpTool(serverId: $serverId, input: $input) { id } }
`);
const REMOVE_TOOL = graphql(`
  mutation RemoveMcpTool($agentId: ID!, $id: ID!) { deleteTool(agentId: $agentId, id: $id) { id } }
`);
type RemoteTool = McpToolsQuery['mcpTools'][number];

interface EntryProps {
  agentId: string;
  serverId: string;
  tool: RemoteTool;
}

/** One tool of a server. If its name is taken, another one is asked for. */
function RemoteToolEntry({ agentId, serverId, tool: { name, description, inputSchema, fault, tool } }: EntryProps) {
  const { agents, actions, terms } = useStrings();
  const [choosing, choose] = useMutation(CHOOSE_TOOL);
  const remove = useButton(REMOVE_TOOL);
  const [isTaken, setTaken] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function add(localName?: string) {
    setProblem(undefined);
    const { error } = await choose({ serverId, input: { remoteName: name, name: localName } }, { quiet: true });
    setTaken(error ? isTaken || codeOf(error) === 'CONFLICT' : false);
    if (error) setProblem(messageOf(error));
  }
  const parameters = Object.keys((inputSchema.properties as object | undefined) ?? {});
  return (
    <Paper component="li" withBorder p="sm" aria-label={name}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Group gap="xs" miw={0}>
            <Code style={{ overflowWrap: 'anywhere' }}>{name}</Code>
            {tool && <Tag label={tool.enabled ? agents.chosen : agents.chosenDisabled} color={tool.enabled ? 'teal' : 'gray'} />}
          </Group>
          {tool ? (
            <SmallAction label={actions.remove} flex="none" of={name} {...remove({ agentId, id: tool.id })} />
          ) : (
            <SmallAction
              label={agents.choose}
              variant="light"
              flex="none"
              disabled={fault != null}
              loading={choosing.fetching && !isTaken}
              of={name}
              onClick={() => add()}
            />
          )}
        </Group>
        {tool && tool.name !== name && <Note size="xs">{agents.knownAs(tool.name)}</Note>}
        <Description text={description} />
        {parameters.length > 0 && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {terms.parameters}: {parameters.join(', ')}
          </Text>
        )}
        {fault != null && <Text c="var(--mantine-color-error)">{agents.unusableTool(fault)}</Text>}
        {!tool && isTaken && <OtherName problem={problem} loading={choosing.fetching} onSave={add} />}
        {!tool && !isTaken && problem && (
          <Text role="alert" c="var(--mantine-color-error)">
            {problem}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

/** Longer descriptions are folded. */
const LONG = 200;

function Description({ text }: { text: string }) {
  const { agents } = useStrings();
  const [isOpen, { toggle }] = useDisclosure();
  const isLong = text.length > LONG;
  return (
    <div>
      <Text lineClamp={isLong && !isOpen ? 3 : undefined} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      {isLong && (
        <Action
          label={isOpen ? agents.less : agents.more}
          variant="subtle"
          size="compact-xs"
          aria-expanded={isOpen}
          onClick={toggle}
        />
      )}
    </div>
  );
}

function OtherName({ problem, loading, onSave }: { problem?: string; loading: boolean; onSave(name: string): void }) {
  const { agents } = useStrings();
  const [name, setName] = useState('');
  const isWrong = name !== '' && !/^[a-z][a-z0-9_]{0,63}$/.test(name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name && !isWrong) onSave(name);
  };
  return (
    <form onSubmit={save}>
      <Group align="flex-start" gap="xs" wrap="nowrap">
        <TextInput
          {...typed(name, setName)}
          flex={1}
          label={agents.otherName}
          description={agents.toolNameHelp}
          error={isWrong ? agents.wrongToolName : problem}
          maxLength={64}
          readOnly={loading}
          autoFocus
        />
        <Action label={agents.choose} type="submit" mt={45} loading={loading} />
      </Group>
    </form>
  );
}

/** A chosen tool that the server no longer offers. */
function WithdrawnTool({ agentId, tool: { id, name } }: { agentId: string; tool: { id: string; name: string } }) {
  const { agents, actions } = useStrings();
  const remove = useButton(REMOVE_TOOL);
  return (
    <Paper component="li" withBorder p="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Code>{name}</Code>
          <Tag label={agents.withdrawn} color="orange" />
        </Group>
        <SmallAction label={actions.remove} of={name} {...remove({ agentId, id })} />
      </Group>
    </Paper>
  );
}
