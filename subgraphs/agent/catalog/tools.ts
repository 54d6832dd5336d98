import { GraphQLError } from 'graphql';
import type { AgentIdentity } from '../../../platform/identity/index.ts';
import type { Graph } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { isObject, type JsonObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import type { Agent } from '../agents/entity.ts';
import type { CallableTool, Calling } from '../tools/callable.ts';
import { catalogOperations, type FoundProduct, type ReadProduct } from './operations.ts';
import { describeFound, describeProduct } from './results.ts';

export const SEARCH_TOOL = 'search_products';
export const READ_TOOL = 'read_product';

/** Reads of the catalog in one reply. */
const MAX_CALLS = 24;
const MAX_FOUND = 10;

const text = (maxLength: number, description: string) => ({ type: 'string', maxLength, description });

const searchSchema = {
  type: 'object',
  properties: { query: text(256, 'A few words of the name, brand, category, SKU or part number.') },
  required: ['query'],
  additionalProperties: false,
};

const readSchema = {
  type: 'object',
  properties: {
    sku: text(64, `The SKU of a product that ${SEARCH_TOOL} found.`),
    attributes: {
      type: 'array',
      maxItems: 50,
      items: text(128, 'The name or slug of an attribute.'),
      description: 'Only these attributes. Without it, all.',
    },
  },
  required: ['sku'],
  additionalProperties: false,
};

/**
 * The built-in tools with which the model reads the catalog of the organization through the graph. They are made for one reply. Each
 * value of a product is a source with its own evidence.
 */
export function catalogTools(graph: Graph, { id: agentId, organizationId, catalogAttributes }: Agent): CallableTool[] {
  const caller: AgentIdentity = { organizationId, agentId };
  let calls = 0;
  const tool = (
    definition: Omit<CallableTool, 'call'>,
    read: (input: JsonObject, by: Calling) => Promise<unknown>,
  ): CallableTool => ({
    ...definition,
    async call(input, by) {
      calls += 1;
      if (calls > MAX_CALLS) return { error: 'The catalog was read too often. Answer with the values that you have.' };
      try {
        return { output: await read(isObject(input) ? input : {}, by) };
      } catch (error) {
        by.signal?.throwIfAborted();
        return { error: messageOf(error, agentId) };
      }
    },
  });
  return [
    tool(
      {
        name: SEARCH_TOOL,
        description: 'Search the product catalog. Returns products with their SKU, without their attribute values.',
        inputSchema: searchSchema,
      },
      async ({ query }, { signal, cite }) => {
        const variables = { query: read(query, 256), limit: MAX_FOUND };
        const { products } = await graph.query<{ products: FoundProduct[] }>(catalogOperations.search, variables, caller, signal);
        return { products: products.map((product) => describeFound(product, cite)) };
      },
    ),
    tool(
      {
        name: READ_TOOL,
        description: 'Read the attribute values of a product of the catalog, each with the evidence for it.',
        inputSchema: readSchema,
      },
      async ({ sku, attributes }, { signal, cite }) => {
        const variables = { sku: read(sku, 64) };
        const { product } = await graph.query<{ product: ReadProduct }>(catalogOperations.read, variables, caller, signal);
        return describeProduct(product, { allowed: catalogAttributes, wanted: textsOf(attributes) }, cite);
      },
    ),
  ];
}

/** The model may send anything. */
const read = (value: unknown, length: number): string => (typeof value === 'string' ? truncate(value, length) : '');

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);

function messageOf(error: unknown, agentId: string): string {
  if (error instanceof GraphQLError && error.extensions.code === 'NOT_FOUND') return 'The catalog has no product with this SKU.';
  log.warn({ err: error, agentId }, 'Failed to read the catalog for a reply');
  return 'The catalog is not available at the moment.';
}
