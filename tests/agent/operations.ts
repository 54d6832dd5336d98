import type { ServiceOptions } from '../../platform/subgraph/services.ts';
import { agent } from '../../subgraphs/agent/agent.ts';
import { agentTables } from '../../subgraphs/agent/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

export const openAgents = (options: Partial<ServiceOptions> = {}) => openSubgraph(agent, agentTables, options);

const EVERYTHING = `id name slug publicSlug modelType systemPrompt welcomeMessage placeholder suggestedMessages temperature theme
  branding allowedOrigins maxTokensPerMessage maxRetrievalTokens publicAccess voiceEnabled createdAt updatedAt`;

export const CREATE = `mutation ($input: NewAgent!) { createAgent(input: $input) { ${EVERYTHING} } }`;
export const UPDATE = `mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { ${EVERYTHING} } }`;
export const READ = `query ($id: ID!) { agent(id: $id) { ${EVERYTHING} } }`;
export const DELETE = 'mutation ($id: ID!) { deleteAgent(id: $id) { id deleted } }';
