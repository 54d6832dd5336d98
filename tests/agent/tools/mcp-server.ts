import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';

interface Behavior {
  tools: Tool[];
  call(name: string, input: Record<string, unknown>): Promise<CallToolResult> | CallToolResult;
  /** Answer with JSON instead of an event stream. */
  json: boolean;
  /** Handles a request instead of the SDK. */
  intercept?(request: IncomingMessage, response: ServerResponse): boolean;
}

/** A real MCP server of the official SDK, with sessions. */
export async function startMcpServer(behavior: Behavior) {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const requests: { method: string; headers: IncomingHttpHeaders }[] = [];
  const http = createServer(async (request, response) => {
    requests.push({ method: request.method!, headers: request.headers });
    if (behavior.intercept?.(request, response)) return;
    const known = sessions.get(String(request.headers['mcp-session-id']));
    const transport = known ?? (await openSession(behavior, sessions));
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    requests,
    sessions,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function openSession({ tools, call, json }: Behavior, sessions: Map<string, StreamableHTTPServerTransport>) {
  const server = new Server({ name: 'shop', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    // Two per page.
    const from = Number(params?.cursor ?? 0);
    return { tools: tools.slice(from, from + 2), ...(from + 2 < tools.length && { nextCursor: String(from + 2) }) };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => call(params.name, params.arguments ?? {}));
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: json,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  return transport;
}
