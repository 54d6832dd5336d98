const integrationEvents = [
  'lead.created',
  'form.submitted',
  'ticket.created',
  'ticket.assigned',
  'ticket.status_changed',
  'ticket.replied',
  'agent.tests.failed',
] as const;

/**
 * The closed lists of documented values. Each becomes a GraphQL type of its name and an `enum` in the OpenAPI document.
 */
export const enums = {
  ModelType: { description: 'A model tier for catalog jobs.', values: ['budget-v1', 'pro-v1'] },
  AgentModelType: { description: 'A model tier for chat agents: Standard or Pro.', values: ['agent-chat-v1', 'agent-chat-pro-v1'] },
  SourceType: { description: 'The type of a knowledge source.', values: ['url', 'text', 'qa'] },
  SourceStatus: {
    description:
      'The status of a knowledge source. It is `queued` until fewer sources of the organization are being indexed than the service permits at once.',
    values: ['queued', 'crawling', 'chunking', 'embedding', 'ready', 'failed'],
  },
  SourcePageStatus: {
    description: 'The status of a page: `unchanged` means that its content is the same as before.',
    values: ['pending', 'read', 'unchanged', 'failed'],
  },
  RefreshInterval: { description: 'How often a knowledge source is read again.', values: ['never', 'daily', 'weekly'] },
  ConversationStatus: { description: 'Whether a conversation is open or closed.', values: ['open', 'closed'] },
  ConversationChannel: {
    description: 'Where a conversation takes place: in the embedded widget, or between the agent and its admins.',
    values: ['widget', 'admin'],
  },
  MessageRole: {
    description: 'The author of a message. An `operator` is a person of the team who took the conversation over.',
    values: ['user', 'assistant', 'operator'],
  },
  MessageRating: { description: 'How a visitor rates a reply.', values: ['up', 'down'] },
  ConversationNoteKind: {
    description:
      'The kind of a note: a member wrote it, or its author `left` the organization and was unassigned. Then it has no text.',
    values: ['note', 'left'],
  },
  HandoffStatus: {
    description:
      'The status of a handoff: it waits for a person, a person has the conversation, the agent has it again, or it was closed.',
    values: ['waiting', 'active', 'returned', 'closed'],
  },
  HandoffParty: { description: 'A side of a handoff.', values: ['visitor', 'operator', 'agent'] },
  HandoffEventType: {
    description: 'The type of a handoff event. Show `typing` for five seconds, or until a message follows.',
    values: ['status', 'message', 'typing', 'seen'],
  },
  MessageStatus: {
    description: 'The state of a message. Only replies are `running`, `stopped` or `failed`.',
    values: ['complete', 'running', 'stopped', 'failed'],
  },
  IdentityStatus: {
    description:
      'The result of an identity token: it was `verified`, has `expired`, is `invalid`, or its keys are `unavailable`. `none` means that there was no token.',
    values: ['none', 'verified', 'expired', 'invalid', 'unavailable'],
  },
  SigningPurpose: {
    description:
      'The use of a signing secret: the site signs the `identity` of visitors, and the service signs the `requests` of tools.',
    values: ['identity', 'requests'],
  },
  ToolMethod: { description: 'The HTTP method of a tool.', values: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
  ToolResultKind: {
    description: 'How a response becomes the result of a tool: its text, or the values that a JSONPath selects.',
    values: ['raw', 'jsonpath'],
  },
  VersionPart: { description: 'The part of an agent that a change concerns.', values: ['settings', 'server', 'tool', 'form'] },
  TestCheckKind: {
    description:
      'A condition that the replies of a test case must meet. `states`, `language`, `answers` and `declines` look at the last reply, the others at all replies.',
    values: [
      'states',
      'omits',
      'cites',
      'calls',
      'not_calls',
      'asks_approval',
      'hands_over',
      'answers',
      'declines',
      'language',
      'seconds',
      'credits',
    ],
  },
  TestCaseOrigin: {
    description:
      'Where a test case comes from: it was written by hand, read from a file, or made from a reply in a conversation, to a question that nothing answered, or with a bad rating.',
    values: ['manual', 'file', 'conversation', 'question', 'rating'],
  },
  TestFileFormat: { description: 'The format of a file of test cases.', values: ['csv', 'json'] },
  TestTarget: { description: 'The content of an agent that a test runs against.', values: ['draft', 'published'] },
  TestTrigger: { description: 'Whether a user or the schedule of its test set started a run.', values: ['user', 'schedule'] },
  TestRunStatus: {
    description: 'The status of a test run. A `failed` run could not be finished, for example without credits.',
    values: ['pending', 'processing', 'completed', 'failed', 'stopped'],
  },
  TestOutcome: {
    description: 'How many repeats of a test case passed: all of them, some of them, or none.',
    values: ['always', 'sometimes', 'never'],
  },
  TestResultStatus: {
    description:
      'The status of one repeat of a test case. With `error`, no reply could be written; `skipped` means that its run ended before.',
    values: ['pending', 'processing', 'passed', 'failed', 'error', 'skipped'],
  },
  TestAnswer: {
    description:
      'How a tool call was answered in a test, where no request is sent: by a `recording`, by a `dry_run` that returns the request, by the `catalog` of the organization, with the question for an `approval`, or it was `refused`.',
    values: ['recording', 'dry_run', 'catalog', 'approval', 'refused'],
  },
  TestReportFormat: { description: 'The format of the report of a test run.', values: ['json', 'junit'] },
  QuestionStatus: {
    description: 'The state of a question that nothing answered.',
    values: ['open', 'answered', 'dismissed'],
  },
  ToolEffect: { description: 'Whether a tool only reads, or changes something in the world.', values: ['read', 'write'] },
  ToolData: {
    description: 'Whether the results of a tool are public, or contain data of a person.',
    values: ['public', 'personal'],
  },
  ToolApproval: {
    description: 'The party that approves each call of a tool before it is sent.',
    values: ['none', 'visitor', 'operator'],
  },
  ApprovalParty: { description: 'The party that decides about the call of a tool.', values: ['visitor', 'operator'] },
  ApprovalReason: {
    description:
      'Why a call needs an approval: it has an `effect`, or it could send `personal` data of the conversation to another host.',
    values: ['effect', 'personal'],
  },
  ApprovalStatus: {
    description:
      'The status of an approval. `withdrawn` means that the visitor wrote another message instead. `unclear` means that the request was sent, and nobody knows whether it had an effect.',
    values: ['pending', 'refused', 'expired', 'withdrawn', 'approved', 'sending', 'succeeded', 'failed', 'unclear'],
  },
  ToolCallStatus: { description: 'The status of a tool call.', values: ['running', 'succeeded', 'failed'] },
  JobKind: {
    description: 'The kind of a job.',
    values: [
      'product-enrichment',
      'brand-enrichment',
      'product-category-enrichment',
      'product-validation',
      'product-market-analysis',
      'ai-import',
      'product-import',
      'product-edit',
      'product-export',
    ],
  },
  ProductExportFormat: {
    description:
      'The format of an export: `csv` has a row for each product with a column for each attribute; `jsonl` has a line of JSON for each product with all of its fields and values.',
    values: ['csv', 'jsonl'],
  },
  ProductExportField: {
    description:
      'Fields of products in an export, in the order of its columns. `parent` is `parentSku`, `parentName` and `isParent`.',
    values: [
      ...['sku', 'name', 'brand', 'category', 'manufacturer', 'mpn', 'uom', 'externalId', 'parent'],
      ...['archived', 'enriched', 'createdAt', 'updatedAt'],
    ],
  },
  ProductEditField: {
    description: 'A field that a bulk edit can change.',
    values: ['name', 'manufacturer', 'mpn', 'uom', 'brand', 'category', 'parentId', 'archived'],
  },
  ProductEditAction: {
    description:
      'The action of a bulk edit: `set` or `clear` the content, add a `prefix` or `suffix` to a text, `replace` a part of a text, or `multiply` a number. All but `set` leave products without a content as they are.',
    values: ['set', 'clear', 'prefix', 'suffix', 'replace', 'multiply'],
  },
  ProductEditOutcome: {
    description: 'The outcome of a bulk edit for a product: it was `changed`, or it was `refused` and stays as it was.',
    values: ['changed', 'refused'],
  },
  UpsertOutcome: {
    description:
      'The outcome of an upsert for a product. With `conflict`, the product has another value than the request expects, and stays as it is.',
    values: ['created', 'updated', 'unchanged', 'refused', 'conflict'],
  },
  JobStatus: {
    description: 'The status of a job.',
    values: ['pending', 'processing', 'completed', 'completed_with_errors', 'failed', 'stopped'],
  },
  PauseReason: {
    description:
      'Why a job is paused: a user paused it, its sample has ended, the next item would exceed its credit limit, too many items failed, or the values are too uncertain.',
    values: ['user', 'sample', 'credits', 'errors', 'confidence'],
  },
  JobItemStatus: { description: 'The status of one item of a job.', values: ['pending', 'processing', 'completed', 'failed'] },
  ReviewVerdict: {
    description: 'The decision of a reviewer about a value that a job wrote.',
    values: ['accept', 'edit', 'reject'],
  },
  ValueEvidence: {
    description:
      'How the sources support a value: the quote contains it, it is derived from the quote, the sources state it without a valid quote, it existed before the job, or nothing supports it.',
    values: ['quoted', 'derived', 'stated', 'existing', 'unsupported'],
  },
  GapTrigger: {
    description:
      'When a rule that fills gaps looks for products: after a product was created or changed, after its attributes changed, or each night (UTC). It also looks when it is created or changed, and when somebody runs it.',
    values: ['product-changed', 'attributes-changed', 'nightly'],
  },
  GapRuleHalt: {
    description:
      'Why a rule that fills gaps starts no job although it is not paused, or why it was paused: its ceiling of the month is reached, the organization has no `credits`, somebody stopped its last job, most products of its last job could not be read, there is none of its attributes any more, or its last check failed and is repeated.',
    values: ['ceiling', 'credits', 'job-stopped', 'job-failed', 'no-attributes', 'check-failed'],
  },
  OverwriteMode: {
    description:
      'The values that a job may replace: `all`, `unreviewed` values that no person wrote or accepted, or only `empty` ones.',
    values: ['all', 'unreviewed', 'empty'],
  },
  Availability: {
    description: 'Whether the product of an offer is in stock.',
    values: ['in_stock', 'out_of_stock', 'preorder', 'backorder', 'limited_stock', 'unknown'],
  },
  ImportItemType: {
    description:
      'The type of an imported item: `family` is a group of variants, `product` is one variant, `standalone` is neither.',
    values: ['family', 'product', 'standalone'],
  },
  ImportSort: { description: 'The sort order of imported items.', values: ['name-asc', 'name-desc', 'type-asc', 'type-desc'] },
  ImportOrder: {
    description: 'The order of imported items, including that of the rows in the files.',
    values: ['file', 'name-asc', 'name-desc', 'type-asc', 'type-desc'],
  },
  ImportQuestionKind: {
    description:
      'The subject of a question about an imported item: its row has no `name`, a `value` cannot be read without doubt, or rows that state the same product differ.',
    values: ['name', 'value', 'duplicate'],
  },
  ImportMode: {
    description: 'Whether finalizing an import creates products, updates existing ones, or both.',
    values: ['create', 'update', 'both'],
  },
  ImportMatch: { description: 'The field by which an imported item finds its product.', values: ['sku', 'externalId'] },
  EmptyCells: {
    description: 'Whether an empty cell leaves the field or value of an existing product, or clears it.',
    values: ['leave', 'clear'],
  },
  ImportField: {
    description:
      'A field of a product that a column of a file fills. `parent` names the parent of a variant by SKU or name; `isParent` marks parents.',
    values: ['sku', 'name', 'brand', 'category', 'manufacturer', 'mpn', 'uom', 'externalId', 'parent', 'isParent'],
  },
  DecimalMark: { description: 'The character before the decimals of a number: `6.4` or `6,4`.', values: ['point', 'comma'] },
  ImportColumnReason: {
    description:
      'Why a column has its use: the known `header` of a field, the `slug` or `name` of an attribute, a `saved` mapping of the same columns, a `synonym` from the mapping of another file, the proposal of a `model`, or the `choice` of the caller.',
    values: ['header', 'slug', 'name', 'saved', 'synonym', 'model', 'choice'],
  },
  ImportNoteKind: {
    description:
      'The fate of a row that became no item of its own: it was `merged` into an equal or complementary one, it is a `duplicate` that differs, or it was `skipped`.',
    values: ['merged', 'duplicate', 'skipped'],
  },
  AttributeType: {
    description: 'The type of an attribute’s value.',
    values: ['text', 'html', 'number', 'date', 'boolean', 'select', 'multiselect'],
  },
  AttributeSubject: { description: 'The kind of record that an attribute describes.', values: ['product', 'brand', 'category'] },
  TextFormat: {
    description: 'The format of a text value.',
    values: ['title-case', 'lowercase', 'kebab-case', 'keywords', 'html-section'],
  },
  ProductSort: {
    description: 'The field by which products are sorted.',
    values: ['sku', 'name', 'manufacturer', 'brand', 'createdAt'],
  },
  ProductOrder: {
    description:
      'The field by which products are sorted, including those that the REST API lacks. Products of which no value is expected count as more than complete.',
    values: ['sku', 'name', 'manufacturer', 'brand', 'createdAt', 'updatedAt', 'completeness'],
  },
  StorageKind: {
    description: 'The kind of data that counts against the storage quota. `requests` are stored responses to an `Idempotency-Key`.',
    values: ['catalog', 'jobs', 'agents', 'conversations', 'content', 'requests'],
  },
  CreditUsageGroup: { description: 'How the use of credits is grouped.', values: ['day', 'kind', 'job'] },
  LabelSort: { description: 'The field by which brands or categories are sorted.', values: ['name', 'productCount'] },
  JobItemSort: {
    description: 'The field by which items of a job are sorted. `ordinal` is the order of the request.',
    values: ['ordinal', 'startedAt', 'completedAt', 'overallScore', 'cost'],
  },
  SortOrder: { description: 'The sort direction.', values: ['asc', 'desc'] },
  ParentFilter: { description: 'Filters products by their place in a variant group.', values: ['all', 'parent', 'non-parent'] },
  EnrichedFilter: {
    description: 'Filters products by whether a job has enriched them.',
    values: ['all', 'enriched', 'not-enriched'],
  },
  Role: {
    description: 'The role of a member, which decides their permissions in the organization.',
    values: ['owner', 'admin', 'member'],
  },
  Plan: {
    description: 'The plan of an organization. The integration API requires `growth` or `enterprise`.',
    values: ['free', 'growth', 'enterprise'],
  },
  Module: { description: 'An optional feature that is enabled for the organization.', values: ['helpdesk'] },
  ToolGroup: {
    description: 'A group of MCP tools. Tools of a `-read` group change nothing; `jobs` starts, stops and imports AI jobs.',
    values: [
      'catalog-read',
      'catalog-write',
      'jobs',
      'agents-read',
      'agents-write',
      'integration-read',
      'integration-write',
      'site-content-read',
      'site-content-write',
    ],
  },
  CatalogSubject: { description: 'The type of a record of the catalog.', values: ['product', 'brand', 'category'] },
  WebhookEvent: {
    description: 'An event that triggers a catalog webhook.',
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
      'product.created',
      'product.updated',
      'product.deleted',
      'acceptance.stopped',
    ],
  },
  WebhookMethod: { description: 'The HTTP method of a webhook.', values: ['post', 'put', 'patch'] },
  WebhookDeliveryStatus: {
    description:
      'The status of a webhook delivery. The event of a `missed` one occurred after failures had disabled the subscription.',
    values: ['pending', 'delivered', 'failed', 'missed'],
  },
  SignatureFamily: {
    description: 'A family of signature headers: `svc` is `x-svc-signature`, `standard` are the headers of Standard Webhooks.',
    values: ['svc', 'standard'],
  },
  SignatureCheckName: {
    description:
      'A check of a signature: presence and form of its headers, encoding, time, form of the secret, changes of the body, delivery id, and the signature itself.',
    values: ['headers', 'encoding', 'time', 'secret', 'body', 'id', 'signature'],
  },
  ReplayStatus: {
    description: 'The status of a replay. It is `completed` when all of its deliveries are scheduled.',
    values: ['running', 'completed', 'stopped'],
  },
  IntegrationEvent: {
    description: 'An event of the integration API.',
    values: integrationEvents,
  },
  AgentEvent: {
    description: 'An event of agents. Only GraphQL subscribes to those that the integration API does not have.',
    values: [
      ...integrationEvents,
      'test.failed',
      'conversation.started',
      'conversation.closed',
      'handoff.requested',
      'message.rated_down',
      'tool.called',
    ],
  },
  EventSubscriptionSource: {
    description: 'The receiver of a subscription. Deliveries to `automation` platforms are not signed.',
    values: ['custom', 'automation'],
  },
  EventSubscriptionStatus: {
    description: 'The status of a subscription. It is disabled after 15 consecutive failures.',
    values: ['active', 'disabled'],
  },
  FormFieldType: {
    description: 'The type of a form field.',
    values: ['text', 'textarea', 'email', 'phone', 'number', 'date', 'checkbox', 'select'],
  },
  TicketStatus: {
    description: 'The status of a ticket. `on_you` waits for the team, `on_customer` for the requester.',
    values: ['new', 'on_you', 'on_customer', 'on_hold', 'closed', 'cancelled'],
  },
  TicketPriority: { description: 'The priority of a ticket.', values: ['low', 'normal', 'high', 'urgent'] },
  TicketSource: { description: 'How a ticket was created.', values: ['api', 'ai_escalation'] },
  TicketMessageKind: {
    description:
      'The kind of a ticket message. The requester sees neither notes nor `other`: a mail to the ticket from an address that is not that of the requester.',
    values: ['reply', 'note', 'requester', 'other'],
  },
  MailStatus: {
    description:
      'The status of an outgoing mail. `sent` means that the mail server has accepted it; `failed` ones are not tried again.',
    values: ['pending', 'sent', 'failed'],
  },
  AuditSubject: {
    description: 'The kind of record that a change in the audit log concerns.',
    values: [
      'organization',
      'member',
      'invitation',
      'api_key',
      'session',
      'webhook',
      'agent',
      'tool',
      'secret',
      'signing_secret',
      'attribute_set',
      'acceptance',
      'test_set',
      'test_case',
      'gap_rule',
      'brand',
      'category',
      'contact',
      'domain',
    ],
  },
  AuditAction: {
    description: 'The kind of a change in the audit log. A brand or category that was `merged` has the name of the other one.',
    values: ['created', 'updated', 'deleted', 'merged', 'erased'],
  },
  AuditActor: {
    description: 'The author of a change: a user, the operator of the service, or the service itself.',
    values: ['user', 'operator', 'system'],
  },
  SiteStatus: { description: 'Whether a site is visible to visitors.', values: ['draft', 'published'] },
  SiteFilter: { description: 'Filters sites by status.', values: ['published', 'draft', 'all'] },
  PublicationStatus: {
    description: 'Whether content is visible to visitors. Scheduled content is published at a set time.',
    values: ['draft', 'scheduled', 'published'],
  },
  PublicationFilter: { description: 'Filters content by status.', values: ['published', 'draft', 'scheduled', 'all'] },
  CollectionFieldType: {
    description: 'The type of a collection field.',
    values: ['text', 'rich-text', 'number', 'boolean', 'date', 'option', 'image', 'reference', 'multi-reference'],
  },
  DomainStatus: {
    description: 'Whether the owner of a site has proven that they own its domain.',
    values: ['none', 'pending', 'verified'],
  },
  DomainSsl: { description: 'Whether the domain presented a valid certificate at its last check.', values: ['none', 'active'] },
  RedirectKind: { description: 'The kind of record that a redirect leads to.', values: ['page', 'item', 'post'] },
  SiteEvent: {
    description: 'An event that triggers a webhook of a workspace.',
    values: [
      'form.submission.created',
      'site.published',
      'page.created',
      'page.updated',
      'page.deleted',
      'collection.item.created',
      'collection.item.updated',
      'collection.item.deleted',
      'blog.post.published',
      'blog.post.updated',
      'blog.post.deleted',
    ],
  },
} as const;

export type EnumName = keyof typeof enums;
/** One value of a list: `EnumValue<'ModelType'>` is `'budget-v1' | 'pro-v1'`. */
export type EnumValue<L extends EnumName> = (typeof enums)[L]['values'][number];

/** Whether GraphQL can name every value of a list. Enum values cannot contain `-` or `.`, so other lists become scalars. */
export const isGraphQLEnum = (list: EnumName): boolean =>
  enums[list].values.every((value) => /^[_A-Za-z][_0-9A-Za-z]*$/.test(value));

/** The error message for a value that is not in the list. */
export const notInList = (list: EnumName) => `must be one of ${enums[list].values.join(', ')}`;

/** Reserved names that no organization may use as a slug, because other paths start with them. */
export const reservedSlugs: readonly string[] = ['agents', 'v1', 'organizations', 'cron', 'graphql', 'docs'];

/** The tool groups of a new API key, unless it names others. They change nothing and spend no credits. */
export const defaultToolGroups: readonly EnumValue<'ToolGroup'>[] = [
  'catalog-read',
  'agents-read',
  'integration-read',
  'site-content-read',
];
