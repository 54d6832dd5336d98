import type { Scope } from '../../../platform/scope/index.ts';
import { isObject } from '../../../schema/json.ts';
import type { McpServer } from '../mcp-servers/entity.ts';
import { prepareMcp } from '../mcp-servers/remote-call.ts';
import type { Identity } from '../visitors/entity.ts';
import { compute } from './compute.ts';
import type { Prepared, Tool } from './entity.ts';
import { prepareHttp } from './http-call.ts';
import { needsVisitor } from './policy.ts';
import { type NamesOfValues, NEEDS_VISITOR, type TemplateVisitor, ToolFault } from './templates.ts';

const MAX_INPUT = 64_000;

/**
 * Check the parameters of a call and make its request. Returns the error if that is not possible.
 * @param server the MCP server of the tool; by default it is read
 */
export async function prepareCall(
  scope: Scope,
  tool: Tool,
  input: unknown,
  identity: Identity | NamesOfValues | null = null,
  server?: McpServer,
): Promise<Prepared | { error: string }> {
  const params = input ?? {};
  if (!isObject(params)) return { error: 'The parameters must be an object.' };
  try {
    if (JSON.stringify(params).length > MAX_INPUT)
      return { error: `The parameters must be at most ${MAX_INPUT} characters of JSON.` };
    const fault = await compute(scope, 'checkInput', { schema: tool.inputSchema, params });
    if (fault) return { error: `The parameters do not match the schema: ${fault}` };
    if (identity === null && needsVisitor(tool)) return { error: NEEDS_VISITOR };
    return await (tool.mcpServerId === null
      ? prepareHttp(scope, tool, params, templateVisitor(identity))
      : prepareMcp(scope, tool, params, server));
  } catch (error) {
    if (error instanceof ToolFault) return { error: error.message };
    // `JSON.stringify` exhausts the stack.
    if (error instanceof RangeError) return { error: 'The parameters are nested too deeply.' };
    throw error;
  }
}

/** The values of `{{visitor.x}}` for a signed-in visitor. */
export const templateVisitor = (identity: Identity | NamesOfValues | null): TemplateVisitor | NamesOfValues | null =>
  identity === null || identity === 'names' ? identity : { id: identity.subject, email: identity.email, claims: identity.claims };
