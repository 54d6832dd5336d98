import { table } from '../route.ts';
import { siteContent } from '../surfaces.ts';

const webhookId = '0199a000-0000-7000-8000-000000000009';
const deliveryId = '0199a000-0000-7000-8000-00000000000a';
const workspaceId = '0199a000-0000-7000-8000-000000000001';
const WEBHOOK = 'id workspaceId name url events enabled createdAt updatedAt lastDeliveryAt';
const DELIVERY = 'id event status attempts responseStatus lastError nextAttemptAt createdAt';
const META = 'meta { page perPage total totalPages }';
const listed = { with: { ok: true } };
const FORBIDDEN = 'This needs the role admin in the organization or the workspace.';
const params = { webhookId };
const errors = { NOT_FOUND: 'Webhook not found', FORBIDDEN };
const disabled = { ...errors, UNPROCESSABLE: 'The webhook is disabled.' };

export const siteWebhooks = table(siteContent, {
  'GET /webhooks': {
    summary: 'List the webhooks of the organization, newest first',
    graphql: `query ($page: Int = 1, $perPage: Int = 20, $workspaceId: ID) {
      siteWebhooks(page: $page, perPage: $perPage, workspaceId: $workspaceId) { data: nodes { ${WEBHOOK} } ${META} }
    }`,
    envelope: listed,
    example: { query: { page: '1' } },
    errors: { NOT_FOUND: 'Workspace not found' },
  },
  'POST /webhooks': {
    summary: 'Create a webhook of a workspace',
    description:
      '`GET /webhooks/{webhookId}/secret` returns its signing secret. Event data above 256 KiB of JSON omits its largest properties and contains `truncated: true`; the API returns the whole record by the ids in the data.',
    graphql: `mutation ($input: NewSiteWebhook!) { createSiteWebhook(input: $input) { ${WEBHOOK} } }`,
    status: 201,
    example: {
      body: { workspaceId, name: 'Form inbox', url: 'https://hooks.example.com/forms', events: ['form.submission.created'] },
    },
    errors: {
      NOT_FOUND: 'Workspace not found',
      FORBIDDEN,
      LIMIT_REACHED: 'Webhook limit reached. You can create up to 100 webhooks.',
    },
    statuses: { LIMIT_REACHED: 429 },
  },
  'GET /webhooks/:webhookId': {
    summary: 'Read a webhook',
    graphql: `query ($webhookId: ID!) { siteWebhook(id: $webhookId) { ${WEBHOOK} } }`,
    example: { params },
    errors: { NOT_FOUND: errors.NOT_FOUND },
  },
  'PATCH /webhooks/:webhookId': {
    summary: 'Update the sent fields of a webhook',
    graphql: `mutation ($webhookId: ID!, $input: SiteWebhookChange!) { updateSiteWebhook(id: $webhookId, input: $input) { ${WEBHOOK} } }`,
    example: { params, body: { enabled: false } },
    errors,
  },
  'DELETE /webhooks/:webhookId': {
    summary: 'Delete a webhook with its pending deliveries',
    graphql: `mutation ($webhookId: ID!) { deleteSiteWebhook(id: $webhookId) { id deleted } }`,
    example: { params },
    errors,
  },
  'POST /webhooks/:webhookId/test': {
    summary: 'Send a sample of the first event of a webhook',
    graphql: `mutation ($webhookId: ID!) { testSiteWebhook(id: $webhookId) { ${DELIVERY} } }`,
    example: { params },
    errors: disabled,
  },
  'GET /webhooks/:webhookId/deliveries': {
    summary: 'List the deliveries of a webhook, newest first',
    graphql: `query ($webhookId: ID!, $page: Int = 1, $perPage: Int = 20, $status: WebhookDeliveryStatus) {
      siteWebhookDeliveries(webhookId: $webhookId, page: $page, perPage: $perPage, status: $status) { data: nodes { ${DELIVERY} } ${META} }
    }`,
    envelope: listed,
    example: { params, query: { page: '1' } },
    errors: { NOT_FOUND: errors.NOT_FOUND },
  },
  'POST /webhooks/:webhookId/deliveries/:deliveryId/replay': {
    summary: 'Send a delivery again, with the same id and body',
    graphql: `mutation ($webhookId: ID!, $deliveryId: ID!) {
      replaySiteWebhookDelivery(webhookId: $webhookId, id: $deliveryId) { ${DELIVERY} }
    }`,
    status: 202,
    example: { params: { webhookId, deliveryId } },
    errors: disabled,
  },
});

/** A caller with the secret can forge deliveries, so keys that may only read the site cannot read it by a tool. */
export const siteWebhookSecrets = table(
  siteContent,
  {
    'GET /webhooks/:webhookId/secret': {
      summary: 'Read the signing secret of a webhook',
      graphql: `query ($webhookId: ID!) { siteWebhookSecret(id: $webhookId) { secret previousSecretExpiresAt } }`,
      headers: { 'cache-control': 'no-store' },
      example: { params },
      errors: { ...errors, UNPROCESSABLE: 'The signing secret was lost. Replace it.' },
    },
    'POST /webhooks/:webhookId/secret': {
      summary: 'Replace the signing secret of a webhook',
      description:
        'For 24 hours, deliveries have a signature of the new and one of the previous secret. A rotation during this time is 409.',
      graphql: `mutation ($webhookId: ID!) { rotateSiteWebhookSecret(id: $webhookId) { secret previousSecretExpiresAt } }`,
      headers: { 'cache-control': 'no-store' },
      example: { params },
      errors: {
        ...errors,
        CONFLICT: 'The previous secret is valid until 2026-11-23T12:00:00.000Z. The secret can be rotated again then.',
      },
    },
  },
  { read: 'site-content-write', write: 'site-content-write' },
);
