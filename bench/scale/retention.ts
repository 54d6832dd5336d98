/** Days that the product keeps the rows of a table. Tables that are not listed here keep them. */
const retention: Record<string, number> = {
  'agent.reply_parts': 1 / 24,
  'agent.tool_calls': 90,
  'catalog.item_sources': 90,
  'catalog.job_changes': 30,
  'catalog.organization_changes': 30,
  'catalog.source_texts': 90,
  'identity.audit_entries': 400,
  'identity.idempotency_keys': 1,
  'identity.outbox': 0,
  'webhooks.attempts': 30,
  'webhooks.deliveries': 30,
  'webhooks.events': 30,
};

/** Partitions count as their table. */
export const retentionDays = (table: string): number =>
  retention[table.replace(/_(before|default|\d{8})$/, '')] ?? Number.POSITIVE_INFINITY;
