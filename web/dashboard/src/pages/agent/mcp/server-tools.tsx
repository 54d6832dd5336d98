import { Button, Group, Stack, Text } from '@mantine/core';
import { IconRefresh, IconTool } from '@tabler/icons-react';
import { useMutation } from 'urql';
import { useQuery } from '../../../graph/use-query.ts';
import { Drawer } from '../../../parts/dialog.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { showDone } from '../../../parts/toast.ts';
import { useStrings } from '../../../strings/strings.tsx';
import { CHOSEN_TOOLS, REFRESH, REMOTE_TOOLS, type Server } from './documents.ts';
import { RemoteToolEntry } from './remote-tool.tsx';
import { WithdrawnTool } from './withdrawn-tool.tsx';

interface Props {
  agentId: string;
  server: Server;
  onClose(): void;
}

/** The tools that a server offers now, to be chosen one by one. If the server fails, its error shows instead. */
export function ServerTools({ agentId, server, onClose }: Props) {
  const { agents } = useStrings();
  const offered = useQuery({ query: REMOTE_TOOLS, variables: { serverId: server.id }, requestPolicy: 'network-only' });
  const [{ data }] = useQuery({ query: CHOSEN_TOOLS, variables: { agentId } });
  const [refreshing, refresh] = useMutation(REFRESH);
  const chosen = data?.tools.filter(({ mcpServerId }) => mcpServerId === server.id) ?? [];

  async function readAgain() {
    const { data: done } = await refresh({ serverId: server.id });
    if (done) showDone(agents.schemasRead);
  }
  return (
    <Drawer onClose={onClose} position="right" size="lg" title={agents.toolsOf(server.name)}>
      <Stack>
        <Text size="sm">{agents.chooseToolsText}</Text>
        <Loaded query={offered}>
          {({ mcpTools }) => {
            const ids = new Set(mcpTools.flatMap(({ tool }) => tool?.id ?? []));
            const withdrawn = chosen.filter(({ id }) => !ids.has(id));
            return (
              <>
                {chosen.length > 0 && (
                  <Group justify="space-between">
                    <Text size="sm" c="dimmed">
                      {agents.chosenOf(ids.size, mcpTools.length)}
                    </Text>
                    <Button
                      size="xs"
                      variant="default"
                      loading={refreshing.fetching}
                      onClick={readAgain}
                      leftSection={<IconRefresh size={14} aria-hidden />}
                    >
                      {agents.readSchemas}
                    </Button>
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
