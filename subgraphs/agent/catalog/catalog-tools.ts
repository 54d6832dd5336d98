import { GraphQLError } from 'graphql';
import type { AgentIdentity } from '../../../platform/identity/index.ts';
import type { Graph } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { isObject, type JsonObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import type { Agent } from '../agents/entity.ts';
import type { CallableTool, Calling, Citable } from '../tools/callable.ts';
import { type PageKeys, pageOf } from './product-page.ts';

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
export function catalogTools(graph: Graph, agent: Agent): CallableTool[] {
  const { id: agentId, organizationId, catalogAttributes, productPage } = agent;
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
        return { products: products.map((product) => describeFound(product, productPage, cite)) };
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
        return describeProduct(product, { allowed: catalogAttributes, wanted: textsOf(attributes), page: productPage }, cite);
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

/** A product in the result of a search. */
interface FoundProduct extends PageKeys {
  name: string;
  brand: string | null;
  category: string | null;
  isParent: boolean;
}

/** A product with its values, as the graph returns it. */
interface ReadProduct extends FoundProduct {
  manufacturer: string | null;
  mpn: string | null;
  parent: { sku: string; name: string } | null;
  variants: { sku: string; name: string }[];
  values: ReadValue[];
}

interface ReadValue {
  slug: string;
  attributeName: string;
  attributeType: string;
  value: string | number | boolean | string[] | null;
  unit: string | null;
  /** Null if a caller of the API wrote the value, which then has no evidence. */
  confidence: number | null;
  sourceUrl: string | null;
  snippet: string | null;
}

const PRODUCT = 'sku name brand category isParent externalId';

/** Every operation that agents run in the graph. The gateway accepts no others from a separate agent process. */
export const catalogOperations = {
  search: `query AgentSearchesProducts($query: String!, $limit: Int!) { products: searchProducts(query: $query, limit: $limit) { ${PRODUCT} } }`,
  read: `query AgentReadsProduct($sku: String!) {
    product(sku: $sku) {
      ${PRODUCT} manufacturer mpn parent { sku name } variants { sku name }
      values { slug attributeName attributeType value unit confidence sourceUrl snippet }
    }
  }`,
  cards: `query AgentReadsProductCards($skus: [String!]!) {
    products: productsBySku(skus: $skus) { sku name brand externalId images { url } values { slug value unit } }
  }`,
} as const;

type Cite = Calling['cite'];

const [MAX_VARIANTS, MAX_VALUE, MAX_SNIPPET] = [50, 1_000, 300];
/** Characters of all values in one result, about 5,000 tokens. The rest is named, so that the model can ask for it. */
const BUDGET = 20_000;
const MAX_NAMED = 100;

/** The attributes of a product that a result may contain. */
interface Selection {
  /** Slugs that the owner of the agent allows; empty for all. */
  allowed: readonly string[];
  /** Names or slugs that the model asks for; empty for all. */
  wanted: readonly string[];
  /** The pattern of the pages of products. */
  page: string | null;
}

/** A value that is known. */
type FoundValue = ReadValue & { value: NonNullable<ReadValue['value']> };

const isFound = (given: ReadValue): given is FoundValue => given.value !== null;

/** A product of a search, as the model sees it. The product itself is the source. */
const describeFound = (product: FoundProduct, pattern: string | null, cite: Cite) => ({
  ...headOf(product),
  citation: citeProduct(product, pageOf(product, pattern), cite),
});

/** A product with its values, as the model and the visitor see them. Each value has the number of its evidence. */
function describeProduct(product: ReadProduct, { allowed, wanted, page: pattern }: Selection, cite: Cite) {
  const names = new Set(wanted.map(normalized));
  const known = product.values.filter(isFound).sort((a, b) => a.attributeName.localeCompare(b.attributeName, 'en'));
  const visible = known.filter(({ slug }) => allowed.length === 0 || allowed.includes(slug));
  const selected = visible.filter(
    ({ slug, attributeName }) => names.size === 0 || names.has(normalized(slug)) || names.has(normalized(attributeName)),
  );
  const page = pageOf(product, pattern);
  const record = citeProduct(product, page, cite);
  let room = BUDGET;
  const values: object[] = [];
  const omitted: string[] = [];
  for (const value of selected) {
    if (room <= 0) {
      omitted.push(value.attributeName);
      continue;
    }
    const described = describeValue(product, value, { record, page }, cite);
    room -= JSON.stringify(described).length;
    values.push(described);
  }
  return {
    ...headOf(product),
    ...defined({ manufacturer: product.manufacturer, mpn: product.mpn, variantOf: product.parent }),
    ...(product.variants.length > 0 && { variants: product.variants.slice(0, MAX_VARIANTS) }),
    citation: record,
    values,
    ...(omitted.length > 0 && { omittedAttributes: omitted.slice(0, MAX_NAMED) }),
  };
}

function describeValue(
  product: ReadProduct,
  given: FoundValue,
  { record, page }: { record: number | null; page: string | null },
  cite: Cite,
) {
  const { slug, attributeName, unit, sourceUrl } = given;
  const value = textOf(given);
  const snippet = given.snippet === null ? null : truncate(given.snippet, MAX_SNIPPET);
  const url = isPage(sourceUrl) ? sourceUrl : null;
  const confidence = given.confidence === null ? null : Math.round(given.confidence);
  const percent = confidence === null ? null : `${confidence} %`;
  const support = [product.name, product.sku, attributeName, value, unit, snippet, percent].filter(Boolean).join(' ');
  const source = {
    id: `${product.sku}:${slug}`,
    documentId: productDocument(product.sku),
    url: url ?? page,
    title: product.name,
    text: support,
  };
  const citation = confidence === null ? null : cite(source);
  return {
    attribute: attributeName,
    value,
    ...defined({ unit }),
    citation: citation ?? record,
    ...defined({ confidence, url, snippet }),
  };
}

const headOf = ({ sku, name, brand, category, isParent }: FoundProduct) => ({
  ...{ sku, name },
  ...defined({ brand, category, hasVariants: isParent || null }),
});

const citeProduct = (product: FoundProduct, url: string | null, cite: Cite) =>
  cite({
    id: productDocument(product.sku),
    documentId: productDocument(product.sku),
    url,
    title: product.name,
    text: [product.sku, product.name, product.brand, product.category].filter(Boolean).join(' '),
  });

function textOf({ value, attributeType }: FoundValue): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const text = Array.isArray(value) ? value.join(', ') : value;
  const plain = attributeType === 'html' ? text.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ') : text;
  return truncate(plain.trim(), MAX_VALUE);
}

/** Sources with other schemes are not links. */
const isPage = (url: string | null): boolean => url !== null && /^https?:\/\//i.test(url);

const normalized = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[-_\s]+/g, ' ')
    .trim();

const defined = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** Products of one reply that visitors see as cards. */
export const MAX_CARDS = 5;
/** Begins the id of the document of a product. */
const PREFIX = 'product:';
/** Letters of the shortest name that counts. */
const MIN_NAME = 3;

const productDocument = (sku: string): string => PREFIX + sku;

/** The SKUs of the products that an answer is about: those that it cites, in this order, and those that it names. */
export function namedProducts(answer: string, cited: readonly Citable[], all: readonly Citable[]): string[] {
  const skuOf = ({ documentId }: Citable) => documentId.slice(PREFIX.length);
  const isProduct = ({ documentId }: Citable) => documentId.startsWith(PREFIX);
  const text = answer.toLowerCase();
  const isNamed = (name: string) => name.length >= MIN_NAME && text.includes(name.toLowerCase());
  const named = all.filter((source) => isProduct(source) && (isNamed(source.title) || isNamed(skuOf(source))));
  return [...new Set([...cited.filter(isProduct), ...named].map(skuOf))].slice(0, MAX_CARDS);
}
