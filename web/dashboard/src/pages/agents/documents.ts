import { graphql } from '../../graph/graphql.ts';

export const AGENTS = graphql(`query Agents { agents { id name publicSlug modelType publicAccess updatedAt } }`);
export const CREATE_AGENT = graphql(`mutation CreateAgent($input: NewAgent!) { createAgent(input: $input) { id } }`);
