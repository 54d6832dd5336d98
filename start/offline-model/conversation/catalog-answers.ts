import { isObject, type JsonObject } from '../../../schema/json.ts';
import { READ_TOOL, SEARCH_TOOL } from '../../../subgraphs/agent/catalog/catalog-tools.ts';
import type { OfferedTool } from '../openai-protocol.ts';
import { meaningfulWords } from '../reading/synonyms.ts';
import { shared } from './passage-answers.ts';
import { type ChatAnswer, objectOf, type ToolResult } from './tool-calls.ts';

const MAX_LISTED = 5;
const MAX_VALUES = 3;

/** Names of attributes behind other words of a question, after the reduction of words to their stems. */
const SYNONYMS: [words: string[], attribute: string][] = [
  [['heavy', 'weigh', 'light', 'kilo', 'kg'], 'weight'],
  [['wide'], 'width'],
  [['tall', 'high'], 'height'],
  [['colour', 'coloured', 'colored'], 'color'],
  [['guarantee', 'guaranteed'], 'warranty'],
  [['waterproof', 'splashproof'], 'water resistant'],
  [['made'], 'material'],
  [['hold', 'volume', 'litre', 'liter'], 'capacity'],
  [['watt', 'strong'], 'power'],
  [['certified'], 'certification'],
];

/** Questions about the range instead of one product. */
const ASKS_FOR_LIST = /^\s*(?:(?:do|does) (?:you|the shop) (?:have|sell)|what (?:kinds?|sorts?) of|which|list|show)\b/i;

export const isCatalogTool = (name: string): boolean => name === SEARCH_TOOL || name === READ_TOOL;

/** Whether the model may read the catalog. */
export const hasCatalog = (tools: readonly OfferedTool[]): boolean =>
  [SEARCH_TOOL, READ_TOOL].every((name) => tools.some((tool) => tool.name === name));

/**
 * The next step of an answer from the catalog: search, then read the best product, then answer with its values. Undefined when the
 * catalog has no answer.
 */
export function answerFromCatalog(
  question: string,
  results: readonly ToolResult[],
  tools: readonly OfferedTool[],
): ChatAnswer | undefined {
  const wanted = wanting(question);
  const last = results.at(-1);
  if (!last) return wanted.size > 0 ? { call: { name: SEARCH_TOOL, input: { query: question.slice(0, 256) } } } : undefined;
  const result = objectOf(last.text);
  if (!result) return { content: `That did not work: ${last.text.replace(/^Error: /, '')}` };
  if (last.tool === READ_TOOL) return sentencesOn(result, wanted);
  const products = (Array.isArray(result.products) ? result.products.filter(isObject) : [])
    .map((product) => ({ product, score: shared(wanted, `${product.sku} ${product.name}`) }))
    .filter(({ score }) => score > 0)
    // The sort is stable: equal products stay in the order of the search.
    .sort((a, b) => b.score - a.score)
    .map(({ product }) => product);
  const [best] = products;
  if (!best) return undefined;
  if (ASKS_FOR_LIST.test(question) || !hasCatalog(tools)) return { content: listOf(products) };
  return { call: { name: READ_TOOL, input: { sku: String(best.sku) } } };
}

/** The words of a question, with the names of the attributes that they mean. */
function wanting(question: string): Set<string> {
  const words = meaningfulWords(question);
  for (const [others, attribute] of SYNONYMS)
    if (others.some((other) => words.has(other))) for (const word of meaningfulWords(attribute)) words.add(word);
  return words;
}

const listOf = (products: readonly JsonObject[]): string =>
  products
    .slice(0, MAX_LISTED)
    .map(({ name, sku, citation }) => `We have the ${name} (${sku})${cited(citation)}.`)
    .join(' ');

/** The values that the question asks for, each with its evidence. */
function sentencesOn({ name, values }: JsonObject, wanted: ReadonlySet<string>): ChatAnswer | undefined {
  const known = meaningfulWords(String(name));
  const requested = new Set([...wanted].filter((word) => !known.has(word)));
  const found = (Array.isArray(values) ? values.filter(isObject) : [])
    .map((value) => ({ value, score: shared(requested, String(value.attribute)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_VALUES);
  if (found.length === 0) return undefined;
  return { content: found.map(({ value }) => sentenceOn(String(name), value)).join(' ') };
}

function sentenceOn(name: string, { attribute, value, unit, citation, confidence, snippet }: JsonObject): string {
  const statement = `${name}: ${String(attribute).toLowerCase()} ${value}${unit ? ` ${unit}` : ''}${cited(citation)}.`;
  if (typeof snippet !== 'string') return statement;
  const evidence = snippet.replace(/\s+/g, ' ').slice(0, 120);
  return `${statement} The source says "${evidence}"${cited(citation)} (confidence ${confidence} %).`;
}

const cited = (citation: unknown): string => (typeof citation === 'number' ? ` [${citation}]` : '');
