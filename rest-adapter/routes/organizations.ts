import { table } from '../route.ts';
import { organizations as surface } from '../surfaces.ts';

export const organizations = table(surface, {
  'GET /get': {
    summary: 'List the organizations of the user who owns the key',
    graphql: `query { organizations { id slug name role } }`,
    envelope: { with: { success: true }, under: 'data.organizations' },
    example: {},
  },
});
