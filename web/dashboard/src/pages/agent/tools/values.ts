import type { NewTool } from '../../../../.graph/graphql.ts';
import type { Tool } from './documents.ts';

const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2));
const example = { type: 'object', properties: { orderNumber: { type: 'string' } }, required: ['orderNumber'] };

/** The values of the form of a tool. JSON is text there. */
export const valuesOf = (tool?: Tool) => ({
  name: tool?.name ?? '',
  description: tool?.description ?? '',
  method: tool?.method ?? 'GET',
  endpointUrl: tool?.endpointUrl ?? '',
  inputSchema: json(tool?.inputSchema ?? example),
  headersTemplate: json(tool?.headersTemplate ?? {}),
  queryTemplate: json(tool?.queryTemplate ?? {}),
  bodyTemplate: tool?.bodyTemplate ?? '',
  kind: tool?.responseMapping.kind ?? 'raw',
  path: tool?.responseMapping.path ?? '',
  truncateChars: (tool?.responseMapping.truncateChars ?? 8_000) as number | string,
  timeoutMs: (tool?.timeoutMs ?? 5_000) as number | string,
  allowedDomains: tool?.allowedDomains ?? [],
});
export type ToolValues = ReturnType<typeof valuesOf>;

/** An object from text; undefined for text that is none. An empty text is the default. */
export function objectOf(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The input of a mutation. A tool of an MCP server has no request of its own. */
export function inputOf(values: ToolValues, isRemote: boolean): NewTool {
  const { name, description, kind, path, truncateChars, timeoutMs } = values;
  const common = {
    name,
    description,
    responseMapping: { kind, ...(kind === 'jsonpath' && { path }), truncateChars: Number(truncateChars) },
    timeoutMs: Number(timeoutMs),
  };
  if (isRemote) return common as NewTool;
  return {
    ...common,
    method: values.method,
    endpointUrl: values.endpointUrl,
    inputSchema: objectOf(values.inputSchema),
    headersTemplate: objectOf(values.headersTemplate),
    queryTemplate: objectOf(values.queryTemplate),
    bodyTemplate: values.bodyTemplate || null,
    allowedDomains: values.allowedDomains.length > 0 ? values.allowedDomains : null,
  };
}
