import { table } from '../route.ts';
import { catalog } from '../surfaces.ts';

export const attributeSets = table(catalog, {
  'POST /attribute-sets': {
    summary: 'List the attribute sets for products, sorted by name',
    graphql: `query {
      attributeSets {
        id name organizationId
        attributeSetAttributes { order attribute { id name slug type prompt categoryPrompt isActive } }
      }
    }`,
    envelope: { with: { success: true }, under: 'data.attributeSets' },
    example: { params: { organization: 'acme' }, body: {} },
  },
});
