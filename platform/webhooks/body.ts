import { policyOf, type WebhookSurface } from './policies.ts';

/** An event as its row has it. */
export interface StoredEvent {
  id: string;
  event: string;
  organizationId: string;
  aboutId: string | null;
  /** As milliseconds when it is a number. */
  occurredAt: Date | number;
  /** JSON. */
  payload: string;
}

/** Stands for the payload in an envelope. No other value of an envelope contains this character. */
const PLACEHOLDER = '\u0000';
const PLACEHOLDER_JSON = JSON.stringify(PLACEHOLDER);

/** The body that a subscription of a surface receives for an event. It is the same text each time. */
export function bodyFor(surface: WebhookSurface, subscriptionId: string, event: StoredEvent): string {
  const { payload, occurredAt, ...fields } = event;
  const envelope = { ...fields, subscriptionId, occurredAt: new Date(occurredAt).toISOString(), payload: PLACEHOLDER };
  const [head, tail] = JSON.stringify(policyOf(surface).envelope(envelope)).split(PLACEHOLDER_JSON);
  return `${head}${payload}${tail}`;
}

/** Maximum size of the payload of an event, in bytes of JSON. */
const MAX_PAYLOAD = 256 * 1024;

/**
 * The payload of an event as JSON. A payload beyond `MAX_PAYLOAD` loses its largest properties and gets `truncated: true`. Ids are small,
 * so receivers can still read the record.
 */
export function payloadJson(payload: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(payload);
  if (Buffer.byteLength(json) <= MAX_PAYLOAD) return json;
  const properties = Object.entries({ ...payload, truncated: true }).flatMap(([name, value]) => {
    const text = JSON.stringify({ [name]: value }).slice(1, -1);
    return text ? [{ text, bytes: Buffer.byteLength(text) + 1 }] : [];
  });
  const omitted = new Set<object>();
  let size = properties.reduce((sum, { bytes }) => sum + bytes, 1);
  for (const property of properties.toSorted((a, b) => b.bytes - a.bytes)) {
    if (size <= MAX_PAYLOAD) break;
    omitted.add(property);
    size -= property.bytes;
  }
  const remaining = properties.filter((property) => !omitted.has(property));
  return `{${remaining.map(({ text }) => text).join(',')}}`;
}
