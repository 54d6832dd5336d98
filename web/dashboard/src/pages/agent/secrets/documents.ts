import type { SecretsQuery } from '../../../../.graph/graphql.ts';
import { graphql } from '../../../graph/graphql.ts';

export type Secret = SecretsQuery['secrets'][number];

export const SECRETS = graphql(
  `query Secrets { secrets { id name maskedValue updatedAt tools { id name } mcpServers { id name } } }`,
);
export const CREATE_SECRET = graphql(
  `mutation CreateSecret($name: String!, $value: String!) { createSecret(input: { name: $name, value: $value }) { id } }`,
);
export const UPDATE_SECRET = graphql(
  `mutation UpdateSecret($id: ID!, $value: String!) { updateSecret(id: $id, input: { value: $value }) { id updatedAt } }`,
);
export const DELETE_SECRET = graphql(`mutation DeleteSecret($id: ID!) { deleteSecret(id: $id) { id } }`);
