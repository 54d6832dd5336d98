import { table } from '../route.ts';
import { admin } from '../surfaces.ts';

const organization = 'acme';
const agentId = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a6c';
const id = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a6e';
const SECRET = 'id name maskedValue createdAt updatedAt';

export const secrets = table(admin, {
  'GET /{agentId}/secrets': {
    summary: 'List the secrets of the organization without their values, by name',
    graphql: `query ($agentId: ID!) { secrets(agentId: $agentId) { ${SECRET} } }`,
    envelope: { with: { success: true }, under: 'data.secrets' },
    example: { params: { organization, agentId } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'POST /{agentId}/secrets': {
    summary: 'Create a secret',
    description: 'Every agent of the organization can use the secret. Its value is never returned.',
    graphql: `mutation ($agentId: ID!, $input: NewSecret!) { createSecret(agentId: $agentId, input: $input) { ${SECRET} } }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.secret' },
    example: { params: { organization, agentId }, body: { name: 'SHOP_TOKEN', value: 'the token of the shop' } },
    errors: {
      NOT_FOUND: 'Agent not found',
      CONFLICT: 'A secret with the name SHOP_TOKEN already exists',
      UNPROCESSABLE: 'An organization has at most 200 secrets.',
    },
  },
  'DELETE /{agentId}/secrets': {
    summary: 'Delete a secret',
    graphql: `mutation ($agentId: ID!, $id: ID!) { deleteSecret(agentId: $agentId, id: $id) { id deleted } }`,
    example: { params: { organization, agentId }, query: { id } },
    errors: { NOT_FOUND: 'Secret not found', CONFLICT: 'The secret SHOP_TOKEN is used by tool order_status of Support desk' },
  },
});
