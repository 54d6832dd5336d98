import type { Tool as Definition } from '@modelcontextprotocol/sdk/types.js';
import type { Prepare } from 'compiled-gateway';
import { type GraphQLSchema } from 'graphql';
import type { EnumValue } from '../../schema/enums.ts';
import { type Endpoint, makeEndpoint, type RowOperation, readOperation } from '../endpoint.ts';
import { toolName } from '../openapi/names.ts';
import { documentedErrors } from '../openapi/responses.ts';
import { type Route, routes, type Table } from '../route.ts';
import { inputSchemaOf, outputSchemaOf } from './arguments.ts';
import { graphTools } from './graph-tools.ts';

/** A row as an MCP tool. */
export interface ServedTool {
  name: string;
  route: Route;
  /** A key may call the tool if it has this group. */
  group: EnumValue<'ToolGroup'>;
  definition: Definition;
  /** Whether the tool accepts an idempotency key. */
  isIdempotent: boolean;
  /** The row with its compiled operation, which is planned on first use. */
  endpoint(): Endpoint;
}

export interface ToolSources {
  tables: readonly Table[];
  schema: GraphQLSchema;
  prepare: Prepare;
  /** Names of mutations that support an idempotency key. */
  idempotent?: readonly string[];
}

/** The tools of all rows, by name. Throws an error if two rows have one name. */
export function makeTools({ tables, schema, prepare, idempotent = [] }: ToolSources): Map<string, ServedTool> {
  const tools = new Map<string, ServedTool>();
  for (const route of [...tables, ...graphTools].flatMap(routes)) {
    if (!route.tools) continue;
    const operation = readOperation(route, schema);
    const name = toolName(route, operation, schema);
    const known = tools.get(name);
    if (known) throw new Error(`${route.name} and ${known.route.name} are both the tool ${name}; set toolName`);
    const isQuery = operation.operation.operation === 'query' || route.method === 'GET';
    const isIdempotent = idempotent.includes(operation.root.name.value);
    let endpoint: Endpoint | undefined;
    tools.set(name, {
      name,
      route,
      group: route.tools[isQuery ? 'read' : 'write'],
      definition: {
        name,
        title: route.row.summary,
        description: descriptionOf(route),
        inputSchema: inputSchemaOf(route, operation, schema, isIdempotent) as Definition['inputSchema'],
        outputSchema: outputSchemaOf(route, operation, schema) as Definition['outputSchema'],
        annotations: annotationsOf(route, operation, isQuery),
      },
      isIdempotent,
      endpoint: () => {
        endpoint ??= makeEndpoint(route, schema, prepare);
        return endpoint;
      },
    });
  }
  return tools;
}

function descriptionOf(route: Route): string {
  const { summary, description } = route.row;
  const errors = documentedErrors(route).map(({ status, message }) => `${status} ${message}`);
  const failures = errors.length > 0 ? `Errors: ${errors.map((each) => each.replace(/\.$/, '')).join('; ')}.` : undefined;
  return [`${summary}.`, description, failures].filter(Boolean).join(' ');
}

/** Verbs of mutations that only add something, and of those that change nothing when they are repeated. */
const additive = ['create', 'upload', 'submit', 'ask', 'replay'];
const repeatable = ['update', 'delete', 'replace', 'set', 'save', 'rename', 'stop'];
/** Mutations that only add something although their verb does not say it. */
const alsoAdditive = ['testSiteWebhook'];
/** Mutations that replace values of products, brands or categories although their verb does not say it. */
const replacing = [
  ...['createProductEnrichmentJob', 'createBrandEnrichmentJob', 'createProductCategoryEnrichmentJob'],
  'createProductImportJob',
];

/** A chat can call the tools of its agent, which may change anything. */
function annotationsOf({ method }: Route, { root }: RowOperation, isReading: boolean): Definition['annotations'] {
  if (isReading) return { readOnlyHint: true };
  const name = root.name.value;
  const [verb = ''] = name.split(/(?=[A-Z])/);
  const isAdditive = (additive.includes(verb) && !replacing.includes(name)) || alsoAdditive.includes(name);
  return {
    readOnlyHint: false,
    destructiveHint: !isAdditive,
    idempotentHint: ['PUT', 'PATCH', 'DELETE'].includes(method) || repeatable.includes(verb),
  };
}
