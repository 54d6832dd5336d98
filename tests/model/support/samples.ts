import { createModel, type ModelConfig } from '../../../platform/model/model-client.ts';
import type { ModelSource } from '../../../platform/model/structured.ts';
import { parseHtml, readText } from '../../../platform/reading/html-text.ts';
import { type SampleProduct, sampleAttributeSet } from '../../../start/sample/sample-catalog.ts';
import type { AttributeContent } from '../../../subgraphs/catalog/attributes/attribute-content.ts';
import type { AttributeRequest } from '../../../subgraphs/catalog/extraction/extraction-prompt.ts';

export const attributes: AttributeRequest[] = sampleAttributeSet.attributes.map((each, index) => ({
  ...each,
  id: String(index + 1),
}));

export const modelAt = (baseUrl: string, more: Partial<ModelConfig> = {}) =>
  createModel({
    apiKey: 'sk-test-secret',
    baseUrl,
    models: { 'budget-v1': 'small', 'pro-v1': 'large', 'agent-chat-v1': 'small', 'agent-chat-pro-v1': 'large' },
    webSearch: 'auto',
    ...more,
  });

export const text = (content: string, id = 's1'): ModelSource => ({ id, kind: 'text', url: null, text: content });

/** The sources of a sample product in an enrichment job: texts, page text and record. */
export async function sourcesOf(
  { page, userProvidedRawDataSources, name, brand, category }: SampleProduct,
  pages: string,
): Promise<ModelSource[]> {
  const url = page ? `${pages}/${page}.html` : null;
  const html = url ? await (await fetch(url)).text() : '';
  const read: Omit<ModelSource, 'id'>[] = [
    ...userProvidedRawDataSources.map((content) => text(content)),
    ...(url ? [{ kind: 'page' as const, url, text: readText(parseHtml(html).root, 100_000).text }] : []),
    text([name, brand, category].join('\n')),
  ];
  return read.map((source, index) => ({ ...source, id: `s${index + 1}` }));
}

/** Equality with lists in any order and converted numbers within rounding. */
export function agrees(found: AttributeContent, wanted: AttributeContent | RegExp): boolean {
  if (wanted instanceof RegExp) return typeof found === 'string' && wanted.test(found);
  if (typeof found === 'number' && typeof wanted === 'number') return Math.abs(found - wanted) <= 0.002 * Math.abs(wanted);
  if (Array.isArray(found) && Array.isArray(wanted)) return String([...found].sort()) === String([...wanted].sort());
  return found === wanted;
}
