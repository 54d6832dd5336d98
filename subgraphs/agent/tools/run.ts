import type { Scope } from '../../../platform/scope/index.ts';
import { isObject } from '../../../schema/json.ts';
import { prepareMcp } from '../mcp-servers/call.ts';
import { compute } from './compute.ts';
import type { Tool } from './entity.ts';
import { prepareHttp } from './http-call.ts';
import type { Prepared } from './prepared.ts';
import { ToolFault } from './templates.ts';

const MAX_INPUT = 64_000;

/** Check the parameters of a call and make its request. Returns the error if that is not possible. */
export async function prepareCall(scope: Scope, tool: Tool, input: unknown): Promise<Prepared | { error: string }> {
  const params = input ?? {};
  if (!isObject(params)) return { error: 'The parameters must be an object.' };
  try {
    if (JSON.stringify(params).length > MAX_INPUT)
      return { error: `The parameters must be at most ${MAX_INPUT} characters of JSON.` };
    const fault = await compute(scope, 'checkInput', { schema: tool.inputSchema, params });
    if (fault) return { error: `The parameters do not match the schema: ${fault}` };
    return await (tool.mcpServerId === null ? prepareHttp(scope, tool, params) : prepareMcp(scope, tool, params));
  } catch (error) {
    if (error instanceof ToolFault) return { error: error.message };
    // `JSON.stringify` exhausts the stack.
    if (error instanceof RangeError) return { error: 'The parameters are nested too deeply.' };
    throw error;
  }
}
