import type { Attribute } from '../attributes/entity.ts';
import type { AttributeType, AttributeValue, Provenance } from '../attributes/values.ts';
import type { SourceImage } from './images.ts';
import type { ReadSource } from './sources.ts';

/** The part of an attribute that a job needs to extract its value. */
export type AttributeDefinition = Omit<Attribute, 'organizationId' | 'subject' | 'isActive' | 'createdAt'>;

/** The value of one attribute and its origin. Its type may differ from that of the attribute: a range is text. */
export interface ExtractedValue {
  attribute: AttributeDefinition;
  type: AttributeType;
  value: AttributeValue['value'];
  /** The parent already had the value. It is reported, but not written. */
  unchanged?: true;
  origin: Pick<
    Provenance,
    | 'confidence'
    | 'statedConfidence'
    | 'evidence'
    | 'isNew'
    | 'agreed'
    | 'alternative'
    | 'sourceKind'
    | 'sourceUrl'
    | 'snippet'
    | 'contentHash'
  >;
}

export interface Extraction {
  /** Model name of the provider. */
  model: string;
  values: ExtractedValue[];
  /** The sources, if a rerun can reuse them. */
  sources?: ReadSource[];
  /** Products whose accepted values the model received. */
  exampleIds?: string[];
  images: SourceImage[];
}
