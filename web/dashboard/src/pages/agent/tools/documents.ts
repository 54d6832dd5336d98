import type { TestToolMutation, ToolCallsQuery, ToolsQuery } from '../../../../.graph/graphql.ts';
import { graphql } from '../../../graph/graphql.ts';

export const TOOLS = graphql(`
  query Tools($agentId: ID!) {
    tools(agentId: $agentId) {
      id mcpServerId name description inputSchema endpointUrl method headersTemplate queryTemplate bodyTemplate enabled timeoutMs
      allowedDomains responseMapping { kind path truncateChars }
    }
  }
`);
export const CREATE_TOOL = graphql(
  `mutation CreateTool($agentId: ID!, $input: NewTool!) { createTool(agentId: $agentId, input: $input) { id } }`,
);
export const UPDATE_TOOL = graphql(`
  mutation UpdateTool($agentId: ID!, $id: ID!, $input: ToolChange!) {
    updateTool(agentId: $agentId, id: $id, input: $input) { id enabled }
  }
`);
export const DELETE_TOOL = graphql(
  `mutation DeleteTool($agentId: ID!, $id: ID!) { deleteTool(agentId: $agentId, id: $id) { id } }`,
);
export const TEST_TOOL = graphql(`
  mutation TestTool($agentId: ID!, $id: ID!, $input: JSONObject!) {
    testTool(agentId: $agentId, id: $id, input: $input) {
      request { method url headers body }
      response { status durationMs snippet truncated }
      result
      error
    }
  }
`);
export const TOOL_CALLS = graphql(`
  query ToolCalls($agentId: ID!, $page: Int!, $limit: Int!) {
    toolCalls(agentId: $agentId, page: $page, limit: $limit) {
      nodes { id toolName conversationId status responseStatus durationMs error createdAt request { method url headers body } }
      pagination { total }
    }
  }
`);

export type Tool = ToolsQuery['tools'][number];
export type ToolCall = ToolCallsQuery['toolCalls']['nodes'][number];
export type ToolTest = TestToolMutation['testTool'];
