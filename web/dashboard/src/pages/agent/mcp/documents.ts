import type { McpServersQuery, McpToolsQuery } from '../../../../.graph/graphql.ts';
import { graphql } from '../../../graph/graphql.ts';

export const SERVERS = graphql(`
  query McpServers($agentId: ID!) {
    mcpServers(agentId: $agentId) { id name url headersTemplate timeoutMs }
    tools(agentId: $agentId) { id mcpServerId }
  }
`);
export const CREATE_SERVER = graphql(`
  mutation CreateMcpServer($agentId: ID!, $input: NewMcpServer!) {
    createMcpServer(agentId: $agentId, input: $input) { id name url headersTemplate timeoutMs }
  }
`);
export const UPDATE_SERVER = graphql(`
  mutation UpdateMcpServer($id: ID!, $input: McpServerChange!) {
    updateMcpServer(id: $id, input: $input) { id name url headersTemplate timeoutMs }
  }
`);
export const DELETE_SERVER = graphql(`mutation DeleteMcpServer($id: ID!) { deleteMcpServer(id: $id) { id } }`);
export const REMOTE_TOOLS = graphql(`
  query McpTools($serverId: ID!) {
    mcpTools(serverId: $serverId) { name description inputSchema tool { id name enabled } }
  }
`);
export const CHOSEN_TOOLS = graphql(`
  query ChosenMcpTools($agentId: ID!) { tools(agentId: $agentId) { id name description enabled mcpServerId } }
`);
export const CHOOSE_TOOL = graphql(`
  mutation ChooseMcpTool($serverId: ID!, $input: NewMcpTool!) { createMcpTool(serverId: $serverId, input: $input) { id } }
`);
export const REMOVE_TOOL = graphql(`
  mutation RemoveMcpTool($agentId: ID!, $id: ID!) { deleteTool(agentId: $agentId, id: $id) { id } }
`);
export const REFRESH = graphql(`mutation RefreshMcpTools($serverId: ID!) { refreshMcpTools(serverId: $serverId) { id } }`);

export type Server = McpServersQuery['mcpServers'][number];
export type RemoteTool = McpToolsQuery['mcpTools'][number];
