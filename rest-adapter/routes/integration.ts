import { table } from '../route.ts';
import { integration as surface } from '../surfaces.ts';

export const integration = table(surface, {
  'GET /me': {
    summary: 'Read the user of the key and the organizations that it can access',
    graphql: `query { identity { userId organizations { id name slug } boundOrganization { id name slug } } }`,
    requires: { access: 'user' },
    example: {},
  },
  'GET /agents': {
    summary: 'List the agents of the organization, by name',
    graphql: `query { agentSummaries { id name publicSlug } }`,
    envelope: { under: 'agents' },
    example: {},
  },
});
