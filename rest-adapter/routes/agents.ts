import { table } from '../route.ts';
import { admin } from '../surfaces.ts';

const organization = 'acme';
const agentId = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a6c';
const AGENT = `id name slug publicSlug modelType systemPrompt welcomeMessage placeholder suggestedMessages temperature theme branding
  allowedOrigins maxTokensPerMessage maxRetrievalTokens publicAccess voiceEnabled createdAt updatedAt`;

export const agents = table(admin, {
  'GET /': {
    summary: 'List the agents of an organization, by name',
    graphql: `query { agents { id name slug publicSlug modelType } }`,
    envelope: { with: { success: true }, under: 'data.agents' },
    example: { params: { organization } },
  },
  'POST /': {
    summary: 'Create an agent',
    description: 'The server generates the public slug, and derives the slug from the name if it is absent.',
    graphql: `mutation ($input: NewAgent!) { createAgent(input: $input) { ${AGENT} } }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.agent' },
    example: { params: { organization }, body: { name: 'Support desk', welcomeMessage: 'How can we help?' } },
    errors: {
      CONFLICT: 'An agent with the slug support-desk already exists',
      UNPROCESSABLE: 'An organization has at most 1,000 agents.',
    },
  },
  'GET /{agentId}': {
    summary: 'Get an agent',
    graphql: `query ($agentId: ID!) { agent(id: $agentId) { ${AGENT} } }`,
    envelope: { with: { success: true }, under: 'data.agent' },
    example: { params: { organization, agentId } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'PATCH /{agentId}': {
    summary: 'Update the sent fields of an agent',
    description: 'A field that is null returns to its default.',
    graphql: `mutation ($agentId: ID!, $input: AgentChange!) { updateAgent(id: $agentId, input: $input) { ${AGENT} } }`,
    envelope: { with: { success: true }, under: 'data.agent' },
    example: { params: { organization, agentId }, body: { temperature: 0.2, allowedOrigins: ['https://shop.example.com'] } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'DELETE /{agentId}': {
    summary: 'Delete an agent with its sources, tools and conversations',
    graphql: `mutation ($agentId: ID!) { deleteAgent(id: $agentId) { id deleted } }`,
    example: { params: { organization, agentId } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
});
