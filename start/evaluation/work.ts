import type { Word } from '../../schema/words.ts';
import type { Api } from '../sample/api.ts';
import type { Line } from './lines.ts';
import type { Found, Result } from './score.ts';

interface Item {
  productId: string;
  status: string;
  errorMessage: string | null;
  enrichedData: Record<string, { value: unknown }> | null;
  provenance: { slug: string; confidence: number }[] | null;
}

interface Attribute {
  id: string;
  slug: string;
}

const PRODUCTS = 1_000;
const ITEMS = 100;

/** An item fails with this message when its text states none of the attributes, which is a valid result. */
const NOTHING_FOUND = 'Insufficient product data';

/** Run one job per category over its lines. Returns the result of each line. */
export async function runJobs(
  api: Api,
  lines: readonly Line[],
  modelType: Word<'ModelType'>,
  onProgress: (finished: number) => void,
): Promise<Result[]> {
  const attributes = await makeAttributes(api, lines);
  const ids = await makeProducts(api, lines);
  const results: Result[] = [];
  let finished = 0;
  for (const [category, indexes] of Map.groupBy(lines.keys(), (index) => lines[index]!.category)) {
    const names = namesOf(lines.filter((line) => line.category === category));
    const input = {
      productIds: indexes.map((index) => ids[index]),
      attributeIds: names.map((name) => attributes.get(name)!.id),
      modelType,
      websearch: false,
    };
    const items = await runJob(api, input, (processed) => onProgress(finished + processed));
    const byProduct = new Map(items.map((item) => [item.productId, item]));
    for (const index of indexes) results[index] = resultOf(byProduct.get(ids[index]!), names, attributes);
    finished += indexes.length;
  }
  return results;
}

const namesOf = (lines: readonly Line[]) => [...new Set(lines.flatMap(({ expected }) => Object.keys(expected)))];

async function makeAttributes(api: Api, lines: readonly Line[]): Promise<Map<string, Attribute>> {
  const made = new Map<string, Attribute>();
  for (const [index, name] of namesOf(lines).entries()) {
    const slug = `${
      name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'attribute'
    }-${index}`.slice(-128);
    const input = { name: name.slice(0, 128), slug: slug.replace(/^-+/, ''), type: 'text' };
    const { attribute } = await api.run<{ attribute: Attribute }>(
      'mutation ($input: NewAttribute!) { attribute: createAttribute(input: $input) { id slug } }',
      { input },
    );
    made.set(name, attribute);
  }
  return made;
}

/** The text is the only source of the product. */
async function makeProducts(api: Api, lines: readonly Line[]): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < lines.length; from += PRODUCTS) {
    const products = lines.slice(from, from + PRODUCTS).map(({ input, category }, index) => ({
      sku: `LINE-${from + index + 1}`,
      name: `Line ${from + index + 1}`,
      category,
      userProvidedRawDataSources: [input],
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
  const follow = 'subscription ($id: ID!) { jobProgress(id: $id) { processedCount } }';
  for await (const { jobProgress } of api.follow<{ jobProgress: { processedCount: number } }>(follow, { id: job.id }))
    onProgress(jobProgress.processedCount);

  const items: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { jobItems } = await api.run<{ jobItems: { nodes: Item[] } }>(
      `query ($id: ID!, $page: Int!) {
        jobItems(jobId: $id, page: $page, limit: ${ITEMS}) { nodes { productId status errorMessage enrichedData provenance { slug confidence } } }
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
  if (status === 'completed' || errorMessage === NOTHING_FOUND) return { found: foundIn(item, names, attributes) };
  return { error: errorMessage ?? `The item stayed ${status}` };
}

function foundIn(item: Item, names: string[], attributes: Map<string, Attribute>): Found {
  const entries = names.flatMap((name): [string, Found[string]][] => {
    const { slug } = attributes.get(name)!;
    const value = item.enrichedData?.[slug]?.value ?? null;
    const origin = item.provenance?.find((each) => each.slug === slug);
    return value === null ? [] : [[name, { value: String(value), confidence: origin?.confidence ?? 0 }]];
  });
  return Object.fromEntries(entries);
}
