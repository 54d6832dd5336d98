import { createHash } from 'node:crypto';
import type { AttributeRequest } from '../../../subgraphs/common/model/attribute.ts';
import type { Model } from '../../../subgraphs/common/model/client.ts';
import type { Extraction } from '../../../subgraphs/common/model/extract.ts';
import type { Source } from '../../../subgraphs/common/model/source.ts';
import type { Statement } from './statements.ts';

export interface Item {
  id: string;
  jobId: string;
  organizationId: string;
}

export interface Attribute extends AttributeRequest {
  id: string;
}

/** What a product says of itself, as it is taken in hand. */
export interface TakenProduct {
  id: string;
  about: Record<string, string | null>;
  sources: string[];
  attributes: Record<string, { attributeType: AttributeRequest['type']; value: string }>;
}

export interface Outside {
  model: Model;
  /** Answers as SearXNG does. */
  searchUrl: string;
}

export const tier = 'budget-v1';

/** The work of one kind of job, without the engine around it. */
export interface PlainKind<Taken> {
  /** Items in hand at a time. */
  window: number;
  /** The attributes that are asked for. */
  subject?: 'product' | 'brand' | 'category';
  /** Makes the items of the job `$1` of the organization `$2` out of `$3`. */
  items: string;
  /** Takes the item `$1` of the organization `$2` in hand, and gives what it is about. */
  take: Statement;
  /** Everything the item writes, its own completion first. */
  work(outside: Outside, item: Item, taken: Taken, attributes: Attribute[]): Promise<[Statement, ...unknown[]][]>;
}

/** Texts as sources of a request. */
export const numbered = (sources: Omit<Source, 'id'>[]): Source[] =>
  sources.map((source, index) => ({ id: `s${index + 1}`, ...source }));

export const textSources = (texts: string[]) => texts.map((text) => ({ kind: 'text' as const, url: null, text }));

/** What was found as it is stored: the values, and where each came from. */
export function valuesOf({ values, model }: Extraction, { id, jobId }: Item, attributes: Attribute[], sources: Source[]) {
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
