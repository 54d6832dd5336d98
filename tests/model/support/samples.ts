import { load } from 'cheerio/slim';
import { sampleAttributeSet } from '../../../start/sample/attribute-set.ts';
import type { SampleProduct } from '../../../start/sample/product.ts';
import type { AttributeRequest, AttributeValue } from '../../../subgraphs/common/model/attribute.ts';
import { createModel, type ModelConfig } from '../../../subgraphs/common/model/client.ts';
import type { Source } from '../../../subgraphs/common/model/source.ts';

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

export const text = (content: string, id = 's1'): Source => ({ id, kind: 'text', url: null, text: content });

/** A sample product's material, its page fetched from the server and reduced to text, a row of a table to a line. */
export async function sourcesOf({ page, userProvidedRawDataSources }: SampleProduct, pages: string): Promise<Source[]> {
  const texts = userProvidedRawDataSources.map((content, index) => text(content, `s${index + 1}`));
  if (!page) return texts;
  const url = `${pages}/${page}.html`;
  return [...texts, { id: `s${texts.length + 1}`, kind: 'page', url, text: textOf(await (await fetch(url)).text()) }];
}

export function textOf(html: string, between = '\t'): string {
  const $ = load(html);
  $('head').remove();
  $('tr').each((_, row) => {
    const cells = $(row).children().toArray();
    $(row).text(cells.map((cell) => $(cell).text()).join(between));
  });
  return $.text()
    .replace(/^[ ]+/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

/** Equal for a reader: lists in any order, converted numbers to the last digit that counts. */
export function agrees(found: AttributeValue, wanted: AttributeValue | RegExp): boolean {
  if (wanted instanceof RegExp) return typeof found === 'string' && wanted.test(found);
  if (typeof found === 'number' && typeof wanted === 'number') return Math.abs(found - wanted) <= 0.002 * Math.abs(wanted);
  if (Array.isArray(found) && Array.isArray(wanted)) return String([...found].sort()) === String([...wanted].sort());
  return found === wanted;
}
