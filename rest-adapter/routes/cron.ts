import { table } from '../route.ts';
import { cron as surface } from '../surfaces.ts';

export const cron = table(surface, {
  'POST /webhook-sweep': {
    summary: 'Send the webhook deliveries that are due',
    description: 'Call it every few minutes with `Authorization: Bearer <CRON_SECRET>`. Sweeps may run concurrently.',
    graphql: `mutation ($authorization: String) {
      sweepWebhooks(authorization: $authorization) { processed delivered failed remaining }
    }`,
    headerVariables: { authorization: 'authorization' },
    example: { body: {} },
    errors: { INVALID_KEY: 'Invalid credential', UNAVAILABLE: 'The webhook sweeper is not configured.' },
  },
});
