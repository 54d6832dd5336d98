import { table } from '../route.ts';
import { widget as surface } from '../surfaces.ts';

export const widget = table(surface, {
  'GET /config': {
    summary: 'Read the configuration of an embedded widget',
    description: 'Pages of any origin may call it. `originAllowed` states whether the origin may chat.',
    graphql: `query ($publicSlug: String!) {
      widgetConfig(publicSlug: $publicSlug) {
        name welcomeMessage placeholder suggestedMessages theme branding features { voice handoff } originAllowed origin
      }
    }`,
    example: { params: { publicSlug: 'support-desk-5f0c2a91d7e3b846' } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
});
