import type { Services } from '../../platform/subgraph/index.ts';
import { publishDue } from '../../subgraphs/site-content/content/schedule.ts';

export type PublicationActivities = ReturnType<typeof publicationActivities>;

export const publicationActivities = (services: Services) => ({
  publishDue: () => publishDue(services),
});
