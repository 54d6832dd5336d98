import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { type EnumValue, enums } from '../../schema/enums.ts';
import { database, seedOrganization } from '../support/seed.ts';

export const allGroups: readonly EnumValue<'ToolGroup'>[] = enums.ToolGroup.values;

const clients: Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** Connect the official client with this key. */
export async function connect(key: string, { url = process.env.TEST_URL!, headers = {} } = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { 'x-api-key': key, ...headers } },
  });
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    client,
    transport,
    call: async (name: string, args: Record<string, unknown> = {}) => {
      const result = await client.callTool({ name, arguments: args });
      const [content] = result.content as { type: string; text: string }[];
      const isError = result.isError === true;
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
      const body = (isError ? result._meta?.error : result.structuredContent) as any;
      return { isError, body, text: content!.text };
    },
    /** All tools, through all pages. */
    async list(): Promise<Tool[]> {
      const tools: Tool[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools({ cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor);
      return tools;
    },
  };
}

/** Set the tool groups of a key that has not been used yet. */
export const allow = (key: string, groups: readonly string[] = allGroups) =>
  database().query('update identity.api_keys set tool_groups = $2 where prefix = $1', [key.slice(0, 10), groups]);

/** An organization whose key may call tools of these groups. */
export async function seedTools({
  groups = allGroups,
  ...options
}: Parameters<typeof seedOrganization>[0] & { groups?: readonly string[] } = {}) {
  const organization = await seedOrganization({ modules: ['helpdesk'], ...options });
  await allow(organization.key, groups);
  return organization;
}

/** Send a message without the official client. */
export async function send(body: unknown, headers: Record<string, string> = {}, url = process.env.TEST_URL!) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}

export const message = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
