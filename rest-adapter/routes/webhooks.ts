import { table } from '../route.ts';
import { catalog, cron as cronSurface } from '../surfaces.ts';

const organization = 'acme';
const WEBHOOK = 'id url method eventType enabled createdAt updatedAt';
const id = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a69';

export const webhooks = table(catalog, {
  'POST /webhooks#list': {
    summary: 'List the webhooks of an organization, newest first',
    graphql: `query { webhooks { ${WEBHOOK} } }`,
    envelope: { with: { success: true }, under: 'data.webhooks' },
    example: { params: { organization }, body: { action: 'list' } },
  },
  'POST /webhooks#create': {
    summary: 'Create a webhook',
    description:
      'Only this response contains the signing secret. A payload above 256 KiB of JSON omits its largest properties and contains `truncated: true`.',
    graphql: `mutation ($input: NewWebhook!) { createWebhook(input: $input) { ${WEBHOOK} secret } }`,
    envelope: { with: { success: true }, under: 'data.webhook' },
    example: {
      params: { organization },
      body: { action: 'create', url: 'https://example.com/hooks', eventType: ['product_enrichment.completed'] },
    },
    errors: { LIMIT_REACHED: 'Webhook limit reached. You can create up to 10 webhooks.' },
  },
  'POST /webhooks#update': {
    summary: 'Update the sent fields of a webhook',
    graphql: `mutation ($id: ID!, $input: WebhookChange!) { updateWebhook(id: $id, input: $input) { ${WEBHOOK} } }`,
    envelope: { with: { success: true }, under: 'data.webhook' },
    example: { params: { organization }, body: { action: 'update', id, enabled: false } },
    errors: { NOT_FOUND: 'Webhook not found' },
  },
  'POST /webhooks#delete': {
    summary: 'Delete a webhook',
    graphql: `mutation ($id: ID!) { deleteWebhook(id: $id) { deleted } }`,
    example: { params: { organization }, body: { action: 'delete', id } },
    errors: { NOT_FOUND: 'Webhook not found' },
  },
});

export const cron = table(cronSurface, {
  'POST /webhook-sweep': {
    summary: 'Send the webhook deliveries that are due',
    description: 'Call it every few minutes with `Authorization: Bearer <CRON_SECRET>`. Sweeps may run concurrently.',
    graphql: `mutation ($authorization: String) {
      sweepWebhooks(authorization: $authorization) { processed delivered failed remaining }
    }`,
    headerVariables: { authorization: 'authorization' },
    ignoresBody: true,
    example: { body: {} },
    errors: { INVALID_KEY: 'Invalid credential.', UNAVAILABLE: 'The webhook sweeper is not configured.' },
  },
});
