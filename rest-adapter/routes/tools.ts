import { table } from '../route.ts';
import { admin } from '../surfaces.ts';

const organization = 'acme';
const agentId = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a6c';
const toolId = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a6d';

const TOOL = `id name description inputSchema endpointUrl method headersTemplate queryTemplate bodyTemplate
  responseMapping { kind path truncateChars } enabled
  timeoutMs allowedDomains createdAt updatedAt`;
const omitNull = ['responseMapping.path'];
const EXAMPLE = {
  name: 'order_status',
  description: 'Looks up the status of an order by its number.',
  inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  endpointUrl: 'https://api.example.com/orders/{{params.number}}',
  method: 'GET',
  headersTemplate: { authorization: 'Bearer {{secret:SHOP_TOKEN}}' },
  responseMapping: { kind: 'jsonpath', path: '$.status' },
};
const NAME_TAKEN = 'A tool with the name order_status already exists.';
const NOT_FOUND = 'Tool not found';

export const tools = table(admin, {
  'GET /{agentId}/tools': {
    summary: 'List the tools of an agent, by name',
    graphql: `query ($agentId: ID!) { tools(agentId: $agentId) { ${TOOL} } }`,
    envelope: { with: { success: true }, under: 'data.tools' },
    omitNull,
    example: { params: { organization, agentId } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'POST /{agentId}/tools': {
    summary: 'Create a tool',
    graphql: `mutation ($agentId: ID!, $input: NewTool!) { createTool(agentId: $agentId, input: $input) { ${TOOL} } }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.tool' },
    omitNull,
    example: { params: { organization, agentId }, body: EXAMPLE },
    errors: { NOT_FOUND: 'Agent not found', CONFLICT: NAME_TAKEN, UNPROCESSABLE: 'An agent has at most 100 tools.' },
  },
  'GET /{agentId}/tools/{toolId}': {
    summary: 'Get a tool',
    graphql: `query ($agentId: ID!, $toolId: ID!) { tool(agentId: $agentId, id: $toolId) { ${TOOL} } }`,
    envelope: { with: { success: true }, under: 'data.tool' },
    omitNull,
    example: { params: { organization, agentId, toolId } },
    errors: { NOT_FOUND },
  },
  'PATCH /{agentId}/tools/{toolId}': {
    summary: 'Update the sent fields of a tool',
    description: 'A field that is null returns to its default.',
    graphql: `mutation ($agentId: ID!, $toolId: ID!, $input: ToolChange!) {
      updateTool(agentId: $agentId, id: $toolId, input: $input) { ${TOOL} }
    }`,
    envelope: { with: { success: true }, under: 'data.tool' },
    omitNull,
    example: { params: { organization, agentId, toolId }, body: { enabled: false } },
    errors: { NOT_FOUND, CONFLICT: NAME_TAKEN },
  },
  'DELETE /{agentId}/tools/{toolId}': {
    summary: 'Delete a tool',
    graphql: `mutation ($agentId: ID!, $toolId: ID!) { deleteTool(agentId: $agentId, id: $toolId) { id deleted } }`,
    example: { params: { organization, agentId, toolId } },
    errors: { NOT_FOUND },
  },
  'POST /{agentId}/tools/{toolId}/test': {
    summary: 'Call a tool without an audit record',
    description:
      'The body holds the parameters, at the top level or under `params`. A call that fails is a success here; `error` gives the reason.',
    graphql: `mutation ($agentId: ID!, $toolId: ID!, $input: JSONObject!) {
      testTool(agentId: $agentId, id: $toolId, input: $input) {
        request { method url headers query body }
        response { status durationMs snippet truncated }
        result error
      }
    }`,
    example: { params: { organization, agentId, toolId }, body: { params: { number: 'A-1001' } } },
    errors: { NOT_FOUND },
  },
});
