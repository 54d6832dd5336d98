import { createServer } from 'node:http';
import { listen } from '../support/listen.ts';

/** One span in OTLP format. */
export interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
  links?: { traceId: string }[];
  failed: boolean;
  status: { code?: number; message?: string };
}

interface Attribute {
  key: string;
  value: { stringValue?: string };
}

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<Span, 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}

const read = (attributes: Attribute[]) => Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

/** Names from a span up to the root of its trace. */
export function ancestry(spans: readonly Span[], span: Span | undefined): string[] {
  if (!span) return [];
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...ancestry(spans, parent)];
}

/** An OTLP collector that stores spans. */
export async function startCollector() {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    for (const { resource, scopeSpans } of (JSON.parse(text) as Export).resourceSpans) {
      const service = String(read(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap((each) => each.spans)) {
        spans.push({ ...span, service, attributes: read(span.attributes), failed: span.status.code === 2 });
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
