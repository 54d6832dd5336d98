import { createHash } from 'node:crypto';
import type { Model } from '../../../platform/model/model-client.ts';
import type { ModelSource } from '../../../platform/model/structured.ts';
import type { Extraction } from '../../../subgraphs/catalog/extraction/extract-attributes.ts';
import type { AttributeRequest } from '../../../subgraphs/catalog/extraction/extraction-prompt.ts';
import type { Statement } from './statements.ts';

export interface Item {
  id: string;
  jobId: string;
  organizationId: string;
}

export interface Attribute extends AttributeRequest {
  id: string;
}

/** Product fields that the job reads when an item begins. */
export interface TakenProduct {
  id: string;
  about: Record<string, string | null>;
  sources: string[];
  attributes: Record<string, { attributeType: AttributeRequest['type']; value: string }>;
}

export interface Outside {
  model: Model;
  /** Search endpoint in SearXNG's format. */
  searchUrl: string;
}

export const tier = 'budget-v1';

/** The work of one job kind without the job engine. */
export interface PlainKind<Taken> {
  /** Maximum concurrent items. */
  window: number;
  /** Requested attributes. */
  subject?: 'product' | 'brand' | 'category';
  /** SQL that creates items for job `$1` of organization `$2` from `$3`. */
  items: string;
  /** SQL that starts item `$1` of organization `$2` and returns its subject. */
  take: Statement;
  /** Statements that the item executes, its completion first. */
  work(outside: Outside, item: Item, taken: Taken, attributes: Attribute[]): Promise<[Statement, ...unknown[]][]>;
}

/** Convert texts to request sources. */
export const numbered = (sources: Omit<ModelSource, 'id'>[]): ModelSource[] =>
  sources.map((source, index) => ({ id: `s${index + 1}`, ...source }));

export const textSources = (texts: string[]) => texts.map((text) => ({ kind: 'text' as const, url: null, text }));

/** Convert findings to their stored form: values and sources. */
export function valuesOf({ values, model }: Extraction, { id, jobId }: Item, attributes: Attribute[], sources: ModelSource[]) {
  const at = new Date().toISOString();
  const found = attributes.map(({ id: attributeId, slug, name, type }) => {
    const { value, confidence, sourceId, quote } = values[slug]!;
    const source = sources.find((each) => each.id === sourceId);
    const contentHash = source && createHash('sha256').update(source.text).digest('hex');
    return {
      slug,
      data: { attributeId, attributeName: name, attributeType: type, value },
      provenance: {
        jobId,
        itemId: id,
        model,
        confidence,
        sourceKind: source?.kind,
        sourceUrl: null,
        snippet: quote,
        contentHash,
        at,
      },
    };
  });
  const data = Object.fromEntries(found.map((each) => [each.slug, each.data]));
  const provenance = Object.fromEntries(found.map((each) => [each.slug, each.provenance]));
  return [JSON.stringify(data), JSON.stringify(provenance)] as const;
}
