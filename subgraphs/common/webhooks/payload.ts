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
