/**
 * The endpoints as the specifications write them, one per line; planned endpoints are below. A test checks that implemented
 * endpoints are exactly those above.
 */
const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

export const documented = lines(`
  POST /api/{organization}/products/create
  POST /api/{organization}/products/bulk-create
  POST /api/{organization}/products/get
  POST /api/{organization}/products/{product_id}/get
  POST /api/{organization}/products/{product_id}/update
  POST /api/{organization}/products/{product_id}/delete
  POST /api/{organization}/products/{product_id}/update-attributes
  POST /api/{organization}/products/{product_id}/enrichment-history
  POST /api/{organization}/products/{product_id}/validation-history
  POST /api/{organization}/product-enrichment-jobs/create
  POST /api/{organization}/product-enrichment-jobs/get
  POST /api/{organization}/product-enrichment-jobs/{job_id}/items/get
  POST /api/{organization}/product-enrichment-jobs/{job_id}/stop
  POST /api/{organization}/product-validation-jobs/create
  POST /api/{organization}/product-validation-jobs/get
  POST /api/{organization}/product-validation-jobs/{job_id}/items/get
  POST /api/{organization}/product-validation-jobs/{job_id}/stop
  POST /api/{organization}/product-market-analysis-jobs/create
  POST /api/{organization}/product-market-analysis-jobs/get
  POST /api/{organization}/product-market-analysis-jobs/{job_id}/items/get
  POST /api/{organization}/product-market-analysis-jobs/{job_id}/stop
  POST /api/{organization}/attribute-sets
  POST /api/{organization}/brand-enrichment-jobs/create
  POST /api/{organization}/brand-enrichment-jobs/get
  POST /api/{organization}/brand-enrichment-jobs/{job_id}/items/get
  POST /api/{organization}/brand-enrichment-jobs/{job_id}/stop
  GET /api/{organization}/brand-enrichment-jobs/{job_id}/download
  POST /api/{organization}/product-category-jobs/create
  POST /api/{organization}/product-category-jobs/get
  POST /api/{organization}/product-category-jobs/{job_id}/items/get
  POST /api/{organization}/product-category-jobs/{job_id}/stop
  GET /api/{organization}/product-category-jobs/{job_id}/download
  POST /api/{organization}/brands/check
  POST /api/{organization}/brands/create
  POST /api/{organization}/brands/enrichment-history
  POST /api/{organization}/product-categories/check
  POST /api/{organization}/product-categories/create
  POST /api/{organization}/product-categories/enrichment-history
  POST /api/{organization}/brand-attribute-sets
  POST /api/{organization}/product-category-attribute-sets
  POST /api/{organization}/webhooks#list
  POST /api/{organization}/webhooks#create
  POST /api/{organization}/webhooks#update
  POST /api/{organization}/webhooks#delete
  POST /api/{organization}/ai-import-jobs/create
  POST /api/{organization}/ai-import-jobs/get
  POST /api/{organization}/ai-import-jobs/{job_id}/items/get
  POST /api/{organization}/ai-import-jobs/{job_id}/finalize
  POST /api/{organization}/ai-import-jobs/{job_id}/stop
  POST /api/{organization}/enrichment-files/upload
  GET /api/organizations/get
  GET /api/{organization}/agents
  POST /api/{organization}/agents
  GET /api/{organization}/agents/{agentId}
  PATCH /api/{organization}/agents/{agentId}
  DELETE /api/{organization}/agents/{agentId}
  GET /api/{organization}/agents/{agentId}/tools
  POST /api/{organization}/agents/{agentId}/tools
  GET /api/{organization}/agents/{agentId}/tools/{toolId}
  PATCH /api/{organization}/agents/{agentId}/tools/{toolId}
  DELETE /api/{organization}/agents/{agentId}/tools/{toolId}
  POST /api/{organization}/agents/{agentId}/tools/{toolId}/test
  GET /api/{organization}/agents/{agentId}/secrets
  POST /api/{organization}/agents/{agentId}/secrets
  DELETE /api/{organization}/agents/{agentId}/secrets
  POST /api/{organization}/agents/{agentId}/chat
  GET /api/{organization}/agents/{agentId}/sources
  POST /api/{organization}/agents/{agentId}/sources
  DELETE /api/{organization}/agents/{agentId}/sources/{sourceId}
  GET /api/agents/{publicSlug}/config
  POST /api/agents/{publicSlug}/chat
  POST /api/agents/{publicSlug}/voice-token
  GET /api/agents/{publicSlug}/handoff-token
  GET /api/v1/me
  GET /api/v1/agents
  GET /api/v1/forms
  GET /api/v1/leads
  POST /api/v1/leads
  GET /api/v1/form-submissions
  GET /api/v1/tickets
  POST /api/v1/tickets
  GET /api/v1/webhooks
  POST /api/v1/webhooks
  DELETE /api/v1/webhooks
  POST /api/cron/webhook-sweep
`);

/** Endpoints that no specification names. */
export const additional = lines(`
  GET /api/{organization}/product-export-jobs/{job_id}/download
  POST /api/{organization}/agents/{agentId}/source-files
  POST /api/{organization}/agents/{agentId}/sources/{sourceId}/file
  GET /api/{organization}/agents/{agentId}/sources/{sourceId}/file
  GET /api/{organization}/agents/{agentId}/chat/{conversationId}/stream
  GET /api/agents/{publicSlug}/chat/{conversationId}
  GET /api/agents/{publicSlug}/chat/{conversationId}/stream
  GET /api/agents/{publicSlug}/chat/{conversationId}/approvals
  POST /api/agents/{publicSlug}/approvals/{approvalId}
  GET /api/agents/{publicSlug}/identity
  GET /api/agents/{publicSlug}/conversation
  GET /api/agents/{publicSlug}/chat/{conversationId}/products
  GET /api/agents/{publicSlug}/forms
  POST /api/agents/{publicSlug}/forms/{formName}/submissions
  POST /api/agents/{publicSlug}/leads
  POST /api/agents/{publicSlug}/handoff
  POST /api/agents/{publicSlug}/messages/{messageId}/rating
  GET /api/agents/{publicSlug}/tickets
  POST /api/agents/{publicSlug}/tickets/{ticketNumber}/replies
`);

/** The site-content API has a separate listener and its own `/api/v1/me`. */
export const documentedOnSite = lines(`
  GET /api/v1/me
  GET /api/v1/workspaces
  GET /api/v1/workspaces/{workspaceId}
  GET /api/v1/sites
  GET /api/v1/workspaces/{workspaceId}/members
  GET /api/v1/sites/{siteId}
  GET /api/v1/sites/{siteId}/domain
  GET /api/v1/sites/{siteId}/pages
  GET /api/v1/sites/{siteId}/pages/{pageId}
  GET /api/v1/sites/{siteId}/forms
  GET /api/v1/sites/{siteId}/forms/{formId}
  GET /api/v1/sites/{siteId}/forms/{formId}/submissions
  GET /api/v1/sites/{siteId}/forms/{formId}/submissions/{submissionId}
  GET /api/v1/sites/{siteId}/collections
  GET /api/v1/sites/{siteId}/collections/{collectionId}
  GET /api/v1/sites/{siteId}/collections/{collectionId}/items
  GET /api/v1/sites/{siteId}/collections/{collectionId}/items/{itemId}
  GET /api/v1/sites/{siteId}/blog/posts
  GET /api/v1/sites/{siteId}/blog/posts/{postId}
  GET /api/v1/sites/{siteId}/blog/authors
  GET /api/v1/sites/{siteId}/blog/categories
  GET /api/v1/webhooks
  POST /api/v1/webhooks
  GET /api/v1/webhooks/{webhookId}
  PATCH /api/v1/webhooks/{webhookId}
  DELETE /api/v1/webhooks/{webhookId}
  GET /api/v1/webhooks/{webhookId}/secret
  POST /api/v1/webhooks/{webhookId}/secret
  POST /api/v1/webhooks/{webhookId}/test
  GET /api/v1/webhooks/{webhookId}/deliveries
  POST /api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay
`);

/** Endpoints of site content that no specification names. */
export const additionalOnSite = lines(`
  POST /api/v1/sites/{siteId}/forms/{formId}/submissions
`);

export const notYetBuilt = lines(`
`);

export const notYetBuiltOnSite = lines(`
`);
