/**
 * The closed lists of documented words. Each becomes a GraphQL type of its name, an `enum` in the OpenAPI document and the
 * sentence of a refusal.
 */
export const words = {
  ModelType: { description: 'A model tier for catalog jobs.', values: ['budget-v1', 'pro-v1'] },
  AgentModelType: { description: 'A model tier for chat agents: Standard or Pro.', values: ['agent-chat-v1', 'agent-chat-pro-v1'] },
  JobKind: {
    description: 'What a job does.',
    values: [
      'product-enrichment',
      'brand-enrichment',
      'product-category-enrichment',
      'product-validation',
      'product-market-analysis',
      'ai-import',
    ],
  },
  JobStatus: {
    description: 'Where a job stands.',
    values: ['pending', 'processing', 'completed', 'completed_with_errors', 'failed', 'stopped'],
  },
  JobItemStatus: { description: 'Where one item of a job stands.', values: ['pending', 'processing', 'completed', 'failed'] },
  ReviewVerdict: { description: 'What becomes of a value that a job wrote.', values: ['accept', 'edit', 'reject'] },
  Availability: {
    description: 'Whether an offer can be had.',
    values: ['in_stock', 'out_of_stock', 'preorder', 'backorder', 'limited_stock', 'unknown'],
  },
  ImportItemType: {
    description: 'What an import found: a group of variants, one of them, or neither.',
    values: ['family', 'product', 'standalone'],
  },
  ImportSort: { description: 'How the finds of an import are sorted.', values: ['name-asc', 'name-desc', 'type-asc', 'type-desc'] },
  AttributeType: {
    description: 'The type of an attribute’s value.',
    values: ['text', 'html', 'number', 'date', 'boolean', 'select', 'multiselect'],
  },
  AttributeSubject: { description: 'What an attribute describes.', values: ['product', 'brand', 'category'] },
  TextFormat: {
    description: 'How a text is written.',
    values: ['title-case', 'lowercase', 'kebab-case', 'keywords', 'html-section'],
  },
  ProductSort: { description: 'What products are sorted by.', values: ['sku', 'name', 'manufacturer', 'brand', 'createdAt'] },
  SortOrder: { description: 'Ascending or descending.', values: ['asc', 'desc'] },
  ParentFilter: { description: 'Which products by grouping.', values: ['all', 'parent', 'non-parent'] },
  EnrichedFilter: { description: 'Which products by enrichment history.', values: ['all', 'enriched', 'not-enriched'] },
  Role: { description: 'What a member may do in an organization.', values: ['owner', 'admin', 'member'] },
  Plan: {
    description: 'What the organization pays for; the integration API needs Growth or above.',
    values: ['free', 'growth', 'enterprise'],
  },
  Module: { description: 'A capability switched on for the organization.', values: ['helpdesk'] },
  WebhookEvent: {
    description: 'What a webhook of the catalog may be called for.',
    values: [
      'product_enrichment.start',
      'product_enrichment.completed',
      'product_enrichment.stopped',
      'product_validation.start',
      'product_validation.completed',
      'product_validation.stopped',
      'product_market_analysis.start',
      'product_market_analysis.completed',
      'product_market_analysis.stopped',
      'ai_import.start',
      'ai_import.stopped',
      'ai_import.completed',
      'ai_import.failed',
    ],
  },
  WebhookMethod: { description: 'How a webhook is called.', values: ['post', 'put', 'patch'] },
  WebhookDeliveryStatus: { description: 'Where a delivery stands.', values: ['pending', 'delivered', 'failed'] },
  SiteStatus: { description: 'Whether visitors see a site.', values: ['draft', 'published'] },
  SiteFilter: { description: 'Which sites by status.', values: ['published', 'draft', 'all'] },
} as const;

export type WordList = keyof typeof words;
/** One word of a list: `Word<'ModelType'>` is `'budget-v1' | 'pro-v1'`. */
export type Word<L extends WordList> = (typeof words)[L]['values'][number];

/** Whether GraphQL can name every word of a list. Values of an enum cannot hold `-` or `.`, so other lists become scalars. */
export const isEnum = (list: WordList): boolean => words[list].values.every((word) => /^[_A-Za-z][_0-9A-Za-z]*$/.test(word));

/** The sentence for a word that is not in the list. */
export const notInList = (list: WordList) => `must be one of ${words[list].values.join(', ')}`;

/** Names no organization may have as id or slug: they begin other paths. */
export const reservedSlugs: readonly string[] = ['agents', 'v1', 'organizations', 'cron', 'graphql', 'docs'];
