import type { Attribute } from '../attributes/entity.ts';
import type { AttributeType, AttributeValue, Provenance } from '../attributes/values.ts';
import type { FoundImage, ReadSource } from './sources.ts';

/** What of an attribute a job needs to fill it in. */
export type Fillable = Omit<Attribute, 'organizationId' | 'subject' | 'isActive' | 'createdAt'>;

/** A value for one attribute, and where it came from. A parent's value may be of another type than its variants': a range is text. */
export interface FoundValue {
  attribute: Fillable;
  type: AttributeType;
  value: AttributeValue['value'];
  /** It was there before and nothing says otherwise: it is told, and not written again. */
  kept?: true;
  origin: Pick<Provenance, 'confidence' | 'sourceKind' | 'sourceUrl' | 'snippet' | 'contentHash'>;
}

export interface Found {
  /** The model that answered, as the provider calls it. */
  model: string;
  values: FoundValue[];
  /** What was read, where it is worth reading again. */
  sources?: ReadSource[];
  images: FoundImage[];
}
