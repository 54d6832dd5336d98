import type { EnumValue } from '../../schema/enums.ts';
import type { Api } from '../sample/sample-client.ts';
import type { AnnotatedText, Definition } from './lines.ts';
import { type EvaluatedValues, isCorrect, type Result } from './score.ts';

interface Item {
  id: string;
  productId: string;
  status: string;
  errorMessage: string | null;
  cost: number;
  enrichedData: Record<string, { value: unknown }> | null;
  provenance: { slug: string; confidence: number; statedConfidence: number; score: number | null }[] | null;
}

interface Attribute {
  id: string;
  slug: string;
}

const PRODUCTS = 1_000;
const ITEMS = 100;

/** An item fails with this message when its text states none of the attributes, which is a valid result. */
const NOTHING_FOUND = 'Insufficient product data';

/** The annotated lines as attributes and products of the organization. */
export interface Records {
  attributes: Map<string, Attribute>;
  ids: string[];
}

/** Create the attributes, the annotated products that serve as examples, and the products to enrich. */
export async function makeRecords(
  api: Api,
  lines: readonly AnnotatedText[],
  { examples, definitions }: { examples: readonly AnnotatedText[]; definitions: Readonly<Record<string, Definition>> },
): Promise<Records> {
  const attributes = await makeAttributes(api, [...lines, ...examples], definitions);
  await makeProducts(api, examples, 'EXAMPLE', (line) => valuesOf(line, attributes));
  return { attributes, ids: await makeProducts(api, lines, 'LINE') };
}

export interface Run {
  results: Result[];
  /** Credits that the jobs charged. */
  credits: number;
  milliseconds: number;
}

/** Run one job per category over its lines. Returns the result of each line. */
export async function runJobs(
  api: Api,
  lines: readonly AnnotatedText[],
  { attributes, ids }: Records,
  options: { modelType: EnumValue<'ModelType'>; useExamples: boolean },
  onProgress: (finished: number) => void,
): Promise<Run> {
  const results: Result[] = [];
  const started = performance.now();
  let credits = 0;
  let finished = 0;
  for (const [category, indexes] of Map.groupBy(lines.keys(), (index) => lines[index]!.category)) {
    const names = namesOf(lines.filter((line) => line.category === category));
    const input = {
      productIds: indexes.map((index) => ids[index]),
      attributeIds: names.map((name) => attributes.get(name)!.id),
      ...options,
      websearch: false,
      // A later run must not see the values of an earlier one.
      includeExistingAttributes: false,
    };
    const items = await runJob(api, input, (processed) => onProgress(finished + processed));
    const byProduct = new Map(items.map((item) => [item.productId, item]));
    for (const index of indexes) results[index] = resultOf(byProduct.get(ids[index]!), names, attributes);
    credits += items.reduce((sum, { cost }) => sum + cost, 0);
    finished += indexes.length;
  }
  return { results, credits, milliseconds: performance.now() - started };
}

/** The expected values of a line, as a person would write them. */
const valuesOf = ({ expected }: AnnotatedText, attributes: ReadonlyMap<string, Attribute>) =>
  Object.fromEntries(
    Object.entries(expected).flatMap(([name, [value]]) =>
      value === undefined
        ? []
        : [[attributes.get(name)!.slug, { attributeName: name.slice(0, 128), attributeType: 'text', value }]],
    ),
  );

const namesOf = (lines: readonly AnnotatedText[]) => [...new Set(lines.flatMap(({ expected }) => Object.keys(expected)))];

async function makeAttributes(
  api: Api,
  lines: readonly AnnotatedText[],
  definitions: Readonly<Record<string, Definition>>,
): Promise<Map<string, Attribute>> {
  const made = new Map<string, Attribute>();
  for (const [index, name] of namesOf(lines).entries()) {
    const slug = `${
      name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'attribute'
    }-${index}`.slice(-128);
    const { description: prompt, examples } = (Object.hasOwn(definitions, name) && definitions[name]) || {};
    const input = { name: name.slice(0, 128), slug: slug.replace(/^-+/, ''), type: 'text', prompt, examples };
    const { attribute } = await api.run<{ attribute: Attribute }>(
      'mutation ($input: NewAttribute!) { attribute: createAttribute(input: $input) { id slug } }',
      { input },
    );
    made.set(name, attribute);
  }
  return made;
}

/** The text is the only source of the product. */
async function makeProducts(
  api: Api,
  lines: readonly AnnotatedText[],
  prefix: string,
  attributesOf: (line: AnnotatedText) => object = () => ({}),
): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < lines.length; from += PRODUCTS) {
    const products = lines.slice(from, from + PRODUCTS).map((line, index) => ({
      sku: `${prefix}-${from + index + 1}`,
      name: `Line ${from + index + 1}`,
      category: line.category,
      userProvidedRawDataSources: [line.input],
      attributes: attributesOf(line),
    }));
    const { made } = await api.run<{ made: { ids: string[] } }>(
      'mutation ($products: [NewProduct!]!) { made: createProducts(products: $products) { ids } }',
      { products },
    );
    ids.push(...made.ids);
  }
  return ids;
}

async function runJob(api: Api, input: object, onProgress: (processed: number) => void): Promise<Item[]> {
  const { job } = await api.run<{ job: { id: string } }>(
    'mutation ($input: NewProductEnrichmentJob!) { job: createProductEnrichmentJob(input: $input) { id } }',
    { input },
  );
  const follow = 'subscription ($id: ID!, $after: Int) { jobProgress(id: $id, after: $after) { sequence processedCount } }';
  for await (const { jobProgress } of api.follow<{ jobProgress: { sequence: number; processedCount: number } }>(follow, job.id))
    onProgress(jobProgress.processedCount);

  const items: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { jobItems } = await api.run<{ jobItems: { nodes: Item[] } }>(
      `query ($id: ID!, $page: Int!) {
        jobItems(jobId: $id, page: $page, limit: ${ITEMS}) { nodes { id productId status errorMessage cost enrichedData provenance { slug confidence statedConfidence score } } }
      }`,
      { id: job.id, page },
    );
    items.push(...jobItems.nodes);
    if (jobItems.nodes.length < ITEMS) return items;
  }
}

function resultOf(item: Item | undefined, names: string[], attributes: Map<string, Attribute>): Result {
  if (!item) return { error: 'The job has no item for this line' };
  const { status, errorMessage } = item;
  if (status === 'completed' || errorMessage === NOTHING_FOUND) return { found: foundIn(item, names, attributes), itemId: item.id };
  return { error: errorMessage ?? `The item stayed ${status}` };
}

function foundIn(item: Item, names: string[], attributes: Map<string, Attribute>): EvaluatedValues {
  const entries = names.flatMap((name): [string, EvaluatedValues[string]][] => {
    const { slug } = attributes.get(name)!;
    const value = item.enrichedData?.[slug]?.value ?? null;
    const origin = item.provenance?.find((each) => each.slug === slug);
    const { confidence = 0, statedConfidence = 0, score } = origin ?? {};
    return value === null ? [] : [[name, { value: String(value), confidence, statedConfidence, score: score ?? 0 }]];
  });
  return Object.fromEntries(entries);
}

/** Review the annotated values of a run as a person would: accept right values and reject wrong ones. */
export async function reviewResults(
  api: Api,
  lines: readonly AnnotatedText[],
  results: readonly Result[],
  attributes: ReadonlyMap<string, Attribute>,
): Promise<void> {
  for (const [index, { expected }] of lines.entries()) {
    const result = results[index]!;
    if ('error' in result) continue;
    const decisions = Object.entries(expected).flatMap(([name, right]) => {
      const given = result.found[name];
      return given ? [{ slug: attributes.get(name)!.slug, verdict: isCorrect(given.value, right) ? 'accept' : 'reject' }] : [];
    });
    if (decisions.length === 0) continue;
    const review =
      'mutation ($itemId: ID!, $decisions: [Decision!]!) { reviewItem(itemId: $itemId, decisions: $decisions) { id } }';
    await api.run(review, { itemId: result.itemId, decisions });
  }
}
