import type { AgentQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';

export const AGENT = graphql(`
  query Agent($id: ID!) {
    agent(id: $id) {
      id name slug publicSlug modelType systemPrompt welcomeMessage placeholder suggestedMessages temperature theme branding
      allowedOrigins maxTokensPerMessage maxRetrievalTokens publicAccess voiceEnabled dailyCreditLimit retentionDays
      catalogAccess catalogAttributes productPage productPictures identityKeysUrl requireApprovals draftOf draftId
      officeHours { timeZone spans { weekday opensAt closesAt } closedDates awayMessage }
    }
  }
`);
export const UPDATE_AGENT = graphql(`
  mutation UpdateAgent($id: ID!, $input: AgentChange!) {
    updateAgent(id: $id, input: $input) {
      id name modelType systemPrompt welcomeMessage placeholder suggestedMessages temperature theme branding
      allowedOrigins maxTokensPerMessage maxRetrievalTokens publicAccess voiceEnabled dailyCreditLimit retentionDays
      catalogAccess catalogAttributes productPage productPictures identityKeysUrl requireApprovals
    }
  }
`);
export const DELETE_AGENT = graphql(`mutation DeleteAgent($id: ID!) { deleteAgent(id: $id) { id } }`);

export type Agent = AgentQuery['agent'];
export interface TabProps {
  agent: Agent;
}
